/** The closed set of storage errors. Only registry/errors/interpret-storage-error.ts translates them to API errors. */
export type StorageErrorCode =
  | 'Exists'
  | 'NotFound'
  | 'Conflict'
  | 'ContainerMissing'
  | 'ContainerTerminating'
  | 'TooLarge'
  | 'QuotaExceeded'
  | 'Compacted'
  | 'TooLargeRevision'
  /** Too many reads of earlier revisions or of terms are waiting. */
  | 'TooManyReads'
  /** A list would look at more objects than one may. */
  | 'TooBroad'
  /** PostgreSQL has no such value, as text with U+0000: the request is at fault, not the database. */
  | 'BadData'
  | 'Abandoned'
  /** The write may or may not have been committed. */
  | 'OutcomeUnknown'
  /** The store is unavailable; a write was certainly not committed. */
  | 'Unavailable';

/** Details of some errors. */
export interface StorageErrorDetails {
  /** TooLargeRevision, Compacted: the requested revision. */
  readonly requested?: bigint;
  /** TooLargeRevision: the newest revision; Compacted: the oldest available one. */
  readonly current?: number;
  /** QuotaExceeded, and TooLarge if it is not the one of bytes: which limit, in words for the client. */
  readonly limit?: string;
  /** Unavailable: nothing was tried, because the database was known to be unavailable. */
  readonly refused?: boolean;
  readonly cause?: unknown;
}

/** An error of storage. `message` is for logs, not for clients. */
export class StorageError extends Error {
  constructor(
    readonly code: StorageErrorCode,
    message: string,
    readonly details: StorageErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'StorageError';
  }
}

/** Whether an error is a StorageError, with this code if one is given. */
export function isStorageError(error: unknown, code?: StorageErrorCode): error is StorageError {
  return error instanceof StorageError && (code === undefined || error.code === code);
}

/** Whether the error, or one of its causes, is a refusal without an attempt. */
export function isRefusal(error: unknown): boolean {
  if (isStorageError(error) && error.details.refused) return true;
  return error instanceof Error && isRefusal(error.cause);
}

/** The history at `requested` has been compacted; `oldest` is the oldest available revision. */
export function compactedError(requested: bigint | number, oldest: number): StorageError {
  return new StorageError('Compacted', `revision ${requested} is compacted, the oldest is ${oldest}`, {
    requested: BigInt(requested),
    current: oldest,
  });
}

/** `requested` lies in the future. */
export function tooLargeRevisionError(requested: bigint, current: number): StorageError {
  return new StorageError('TooLargeRevision', `revision ${requested} is in the future, the newest is ${current}`, {
    requested,
    current,
  });
}

/** The error of a write whose request has ended. It certainly had no effect. */
export function abandonedError(what: string): StorageError {
  return new StorageError('Abandoned', `the deadline for writing ${what} has passed`);
}
