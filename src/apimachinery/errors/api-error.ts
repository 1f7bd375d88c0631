import type { Status, StatusDetails } from '../meta/status.schema.js';
import { shown } from '../go/quote.js';
import { ExpectedError } from './expected-error.js';

/** The parts of a failure Status. `cause` is only logged. */
export interface ApiErrorInit {
  code: number;
  /** Empty if upstream gives no reason for this error; the Status then has none. */
  reason?: string;
  message: string;
  details?: StatusDetails;
  /** Status metadata.continue, for expired continue tokens. */
  continue?: string;
  /** Retry-After is a date instead of a number of seconds. */
  retryAfterDate?: boolean;
  cause?: unknown;
}

/** Maximum number of characters of a message: that of many errors, or one that repeats a part of a body. */
const MAX_MESSAGE = 128 * 1024;

/**
 * An error with the complete Status to return to a client. `status-errors.ts` has constructors for each kind. Retry-After follows from
 * details.retryAfterSeconds.
 */
export class ApiError extends ExpectedError {
  readonly status: Status;
  readonly retryAfterDate: boolean;

  constructor(init: ApiErrorInit) {
    const message = shown(init.message, MAX_MESSAGE);
    super(message, { cause: init.cause, traced: init.code >= 500 });
    this.name = 'ApiError';
    this.retryAfterDate = init.retryAfterDate ?? false;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: init.continue === undefined ? {} : { continue: init.continue },
      status: 'Failure',
      message,
      ...(init.reason ? { reason: init.reason } : {}),
      ...(init.details ? { details: init.details } : {}),
      code: init.code,
    };
  }

  get code(): number {
    return this.status.code ?? 500;
  }
}
