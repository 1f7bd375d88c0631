/**
 * - `not-acquired`: the lock was not free in time.
 * - `lost`: the lease could not be renewed in time, or somebody else has taken or deleted it.
 * - `unreachable`: the server or database does not answer, or fails.
 * - `refused`: it answers, but rejects the request; another attempt would not help.
 * - `configuration`: nothing says where the leases are, or what says it cannot be used.
 * - `invalid`: a name or number cannot be used.
 */
export type LockFailure = 'not-acquired' | 'lost' | 'unreachable' | 'refused' | 'configuration' | 'invalid';

export class LockError extends Error {
  override readonly name = 'LockError';

  constructor(
    readonly why: LockFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function isUnreachable(error: unknown): error is LockError {
  return error instanceof LockError && error.why === 'unreachable';
}
