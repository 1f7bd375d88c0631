import { Backoff } from '../../../time/backoff.js';
import type { Scheduler } from '../../../time/scheduler.js';
import { sleep } from '../../../time/scheduler.js';
import { isStorageError } from '../../storage-errors.js';

/**
 * Repeats `attempt` with back-off while it rejects with StorageError Unavailable, for at most `writeRetryMs`; then rejects with that error.
 */
export async function retryWhileUnavailable<T>(scheduler: Scheduler, writeRetryMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = scheduler.now() + writeRetryMs;
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
