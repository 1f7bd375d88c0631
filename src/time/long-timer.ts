/** setTimeout calls back at once for a longer time. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls back once after this time, however long it is, without keeping the process alive. The returned function cancels it. */
export function longTimer(ms: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const begin = (left: number): void => {
    const part = Math.min(left, LONGEST_TIMER_MS);
    timer = setTimeout(() => (left > part ? begin(left - part) : run()), part).unref();
  };
  begin(ms);
  return () => clearTimeout(timer);
}
