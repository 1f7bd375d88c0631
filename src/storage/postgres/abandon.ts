import { abandonedError, timeLeft } from '../requester-time.js';
import { StorageError } from '../storage-errors.js';
import type { PendingWrite } from './pending-write.js';

/** Whether nobody waits for this write any more. */
export function isAbandoned({ requester }: PendingWrite, now = performance.now()): boolean {
  return timeLeft(requester, now) <= 0;
}

/** Refuses a write that nobody waits for. One that an earlier batch may have carried out is not said to have failed. */
export function abandon(write: PendingWrite): void {
  write.reject(write.unclearSince ? unknownOutcome(write) : abandonedError(write.lock));
}

export function unknownOutcome(write: PendingWrite): StorageError {
  return new StorageError('OutcomeUnknown', `the database did not confirm it: whether ${write.lock} was written is not known`);
}
