import { setTimeout as sleep } from 'node:timers/promises';

/** How long a condition may take to hold: on a machine with other work every step stalls for seconds, and only a defect takes this long. */
const PATIENCE_MS = 60_000;

/** Polls until the answer is neither undefined nor false, and returns it; fails with the text if that takes too long. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  failure: () => string = () => `never true: ${ask.toString()}`,
  withinMs = PATIENCE_MS,
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    if (performance.now() > deadline) throw new Error(failure());
    await sleep(20);
  }
}
