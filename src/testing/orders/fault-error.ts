import { ApiError } from '../../apimachinery/errors/api-error.js';
import {
  conflict,
  expired,
  forbidden,
  internalError,
  MODIFIED,
  notFound,
  requestTimeout,
  serviceUnavailable,
  tooManyRequests,
  unauthorized,
} from '../../apimachinery/errors/status-errors.js';
import type { RequestInfo } from '../../endpoints/request-info/request-info.js';
import type { Fault, FaultStatus } from '../test-server.js';

const ORDERED = 'a test ordered this';

const ERRORS: Readonly<Record<FaultStatus, (info: RequestInfo) => ApiError>> = {
  401: () => unauthorized(),
  403: (info) => forbidden(resourceOf(info), info.name, ORDERED),
  404: (info) => notFound(resourceOf(info), info.name),
  409: (info) => conflict(resourceOf(info), info.name, MODIFIED),
  410: () => expired(`too old resource version: ${ORDERED}`),
  429: () => tooManyRequests('too many requests, please try again later', 1),
  500: () => internalError(ORDERED),
  503: (info) => serviceUnavailable(resourceOf(info), info.verb),
  504: () => requestTimeout(),
};

export const FAULT_STATUSES = Object.keys(ERRORS).map(Number) as FaultStatus[];

/** The error with which a request is refused, as the server itself words it. */
export function faultError(status: FaultStatus, { retryAfter }: Fault, info: RequestInfo): ApiError {
  const { code = status, reason = '', message = '', details } = ERRORS[status](info).status;
  const { retryAfterSeconds, ...others } = details ?? {};
  const after = retryAfter ?? (status === 429 ? retryAfterSeconds : undefined);
  return new ApiError({ code, reason, message, details: { ...others, ...(after !== undefined && { retryAfterSeconds: after }) } });
}

function resourceOf({ apiGroup: group, resource }: RequestInfo) {
  return { group, resource };
}
