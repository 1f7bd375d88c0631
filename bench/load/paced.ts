/**
 * Calls back once per client and interval, at evenly spread times, without waiting for earlier calls: a slow response delays
 * only the next call of the same client. `due` is the intended time of the call.
 */
export async function paced(
  clients: number,
  everySeconds: number,
  seconds: number,
  call: (client: number, due: number) => Promise<void>,
): Promise<void> {
  const started = performance.now();
  const total = Math.floor((clients * seconds) / everySeconds);
  const last = new Array<Promise<void>>(clients).fill(Promise.resolve());
  for (let sent = 0; sent < total; sent++) {
    const due = started + (sent * everySeconds * 1000) / clients;
    const wait = due - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const client = sent % clients;
    last[client] = (last[client] ?? Promise.resolve()).then(() => call(client, due));
  }
  await Promise.all(last);
}
