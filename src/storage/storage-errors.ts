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
  /** Whether the write was carried out could not be found out. */
  | 'OutcomeUnknown'
  /** It certainly was not. */
  | 'Unavailable';

export interface StorageErrorDetails {
  /** TooLargeRevision, Compacted: what was asked for. */
  readonly requested?: bigint;
  /** TooLargeRevision: the newest revision; Compacted: the oldest one that can still be had. */
  readonly current?: number;
  /** QuotaExceeded: which limit, in words for the client. */
  readonly limit?: string;
  readonly cause?: unknown;
}

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

export function isStorageError(error: unknown, code?: StorageErrorCode): error is StorageError {
  return error instanceof StorageError && (code === undefined || error.code === code);
}
