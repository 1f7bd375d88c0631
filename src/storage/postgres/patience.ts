import { Backoff } from '../database/backoff.js';
import type { Scheduler } from '../scheduler.js';
import { isStorageError } from '../storage-errors.js';

export function sleep(scheduler: Scheduler, ms: number): Promise<void> {
  return new Promise((resolve) => scheduler.after(ms, resolve));
}

/** Tries again while the database is unavailable, at most for so long. */
export async function withPatience<T>(scheduler: Scheduler, patienceMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = scheduler.now() + patienceMs;
  const backoff = new Backoff(50, 1_000);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isStorageError(error, 'Unavailable') || scheduler.now() >= deadline) throw error;
    }
    await sleep(scheduler, backoff.next());
  }
}
