/**
 * The request that a write belongs to. A store begins no write after the request has ended (StorageError Abandoned): its client is gone, or
 * was answered that the write did not happen.
 */
export interface Requester {
  /** Set when the request has ended: the client is gone, or was answered that the time is up. */
  readonly aborted?: unknown;
  /** When its time is up, in milliseconds of `performance.now()`; absent or Infinity: never. */
  readonly deadline?: number;
  /**
   * The revision of the first read that led to the write. Where the database has been replaced since, and may have lost what was read, the
   * write is refused (StorageError Abandoned).
   */
  readonly premise?: number;
}

/** Milliseconds until the request ends; 0 or less: it has ended. Infinity without a requester. */
export function timeLeft(requester: Requester | undefined, now = performance.now()): number {
  if (!requester) return Infinity;
  return requester.aborted ? 0 : (requester.deadline ?? Infinity) - now;
}
