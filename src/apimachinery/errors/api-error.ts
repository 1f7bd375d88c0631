import { shown } from '../go/go-string.js';
import { TimeParseError } from '../go/go-time.js';
import type { Status, StatusDetails } from '../meta/status.schema.js';

/**
 * An error that is returned to a client and is not the server's fault. It has no stack unless `traced` is set, because capturing one would
 * cost more than the rest of the rejection.
 */
export class ExpectedError extends Error {
  constructor(message?: string, { cause, traced = false }: { readonly cause?: unknown; readonly traced?: boolean } = {}) {
    const { stackTraceLimit } = Error;
    if (!traced) Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
  }
}

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

/** A body that cannot be decoded. The message is upstream's and becomes part of a 400. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}

/** Whether an error is the sender's fault: its message is safe to return in a 400. */
export function isDecodeError(error: unknown): error is DecodeError | TimeParseError {
  return error instanceof DecodeError || error instanceof TimeParseError;
}

/** Joins error texts as upstream's Aggregate does: each text once, in brackets if there are several (apimachinery util/errors). */
export function aggregateTexts(texts: readonly string[]): string {
  const [first = '', ...others] = new Set(texts);
  return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}
