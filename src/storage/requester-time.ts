import type { Requester } from './object-store.js';
import { StorageError } from './storage-errors.js';

/** How long somebody still waits for a write, in milliseconds; 0 or less: nobody does. */
export function timeLeft(requester: Requester | undefined, now = performance.now()): number {
  if (!requester) return Infinity;
  return requester.aborted ? 0 : (requester.deadline ?? Infinity) - now;
}

/** The refusal of a write that nobody waits for. It certainly took no effect. */
export function abandonedError(what: string): StorageError {
  return new StorageError('Abandoned', `the time for writing ${what} is over`);
}
