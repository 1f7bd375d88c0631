/** The closed set of what storage can refuse. Translated to the API's errors in registry/interpret-storage-error.ts only. */
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
  /** Too many reads of earlier revisions wait. */
  | 'TooManyReads'
  | 'Abandoned'
  /** The write may or may not have been carried out. */
  | 'OutcomeUnknown'
  /** The store cannot answer now; a write certainly was not carried out. */
  | 'Unavailable';

/** What some errors say beside their code. */
export interface StorageErrorDetails {
  /** TooLargeRevision, Compacted: what was asked for. */
  readonly requested?: bigint;
  /** TooLargeRevision: the newest revision; Compacted: the oldest one that can still be had. */
  readonly current?: number;
  /** QuotaExceeded: which limit, in words for the client. */
  readonly limit?: string;
  readonly cause?: unknown;
}

/** What storage refuses or cannot do. `message` is for logs, not for clients. */
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

/** Whether it is a StorageError, with this code if one is given. */
export function isStorageError(error: unknown, code?: StorageErrorCode): error is StorageError {
  return error instanceof StorageError && (code === undefined || error.code === code);
}

/** History back to `requested` is gone; `oldest` is the oldest revision that can still be had. */
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

/** The rejection of a write whose request has ended. It certainly took no effect. */
export function abandonedError(what: string): StorageError {
  return new StorageError('Abandoned', `the time for writing ${what} is over`);
}
