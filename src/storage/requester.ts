import type { Creator } from './creator-tags.js';

/**
 * The request that a write belongs to. A store starts no write after the request has ended (StorageError Abandoned): its client is gone, or
 * has been told that the write did not happen.
 */
export interface Requester {
  /** Who writes; absent for the server itself. */
  readonly user?: Creator;
  /** Set once the request has ended: the client is gone, or has been told that its time limit has passed. */
  readonly aborted?: unknown;
  /** Deadline in milliseconds of `performance.now()`; absent or Infinity: none. */
  readonly deadline?: number;
  /**
   * The revision of the first read that led to the write. If the database has been replaced since, and may have lost what was read, the
   * write is rejected (StorageError Abandoned).
   */
  readonly premise?: number;
  /** Gives way to other writes: for what the server does on its own, many times over, and nobody waits for. */
  readonly isPatient?: boolean;
}

/** Milliseconds until the request ends; 0 or less: it has ended. Infinity without a requester. */
export function timeLeft(requester: Requester | undefined, now = performance.now()): number {
  if (!requester) return Infinity;
  return requester.aborted ? 0 : (requester.deadline ?? Infinity) - now;
}
