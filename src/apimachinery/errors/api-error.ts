import type { Status, StatusDetails } from '../meta/status.js';
import { ExpectedError } from './expected-error.js';

export interface ApiErrorInit {
  code: number;
  /** Empty: an error upstream does not type; the Status then has no reason. */
  reason?: string;
  message: string;
  details?: StatusDetails;
  /** Status metadata.continue, for expired continue tokens. */
  continue?: string;
  cause?: unknown;
}

/**
 * An error that a client is to see: it carries the complete Status. The constructors for each kind stand in `status-errors.ts`.
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
