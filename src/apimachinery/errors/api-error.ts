import type { Status, StatusDetails } from '../meta/status.schema.js';
import { ExpectedError } from './expected-error.js';

/** The parts of a failure Status. `cause` is for the log only. */
export interface ApiErrorInit {
  code: number;
  /** Empty: upstream gives no reason for this error, and the Status has none. */
  reason?: string;
  message: string;
  details?: StatusDetails;
  /** Status metadata.continue, for expired continue tokens. */
  continue?: string;
  cause?: unknown;
}

/**
 * An error that is returned to a client, with the complete Status. The constructors for each kind stand in `status-errors.ts`.
 * Retry-After follows from details.retryAfterSeconds.
 */
export class ApiError extends ExpectedError {
  readonly status: Status;

  constructor(init: ApiErrorInit) {
    super(init.message, { cause: init.cause, traced: init.code >= 500 });
    this.name = 'ApiError';
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: init.continue === undefined ? {} : { continue: init.continue },
      status: 'Failure',
      message: init.message,
      ...(init.reason ? { reason: init.reason } : {}),
      ...(init.details ? { details: init.details } : {}),
      code: init.code,
    };
  }

  get code(): number {
    return this.status.code ?? 500;
  }
}
