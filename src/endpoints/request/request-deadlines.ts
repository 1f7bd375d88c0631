import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { ApiRequest } from './api-request.js';
import { parseGoDuration } from './go-duration.js';

/** A mutating request gets no more than this (apiserver handlers/rest.go requestTimeoutUpperBound). */
export const MUTATING_LIMIT_MS = 34_000;

const SWEEP_MS = 100;
const MUTATING = new Set(['create', 'update', 'patch', 'delete']);

/** Thrown into handlers, and answered as a 504, when time is up. */
export class DeadlineExceeded extends Error {}

/**
 * How long a request may take; undefined for watches, which end by themselves. Throws the 400 for a `?timeout` that is no duration;
 * one of zero or below counts as none (apiserver filters/request_deadline.go).
 */
export function timeLimitMs(request: ApiRequest, maximumMs: number): number | undefined {
  const { verb, isResourceRequest } = request.info;
  if (isResourceRequest && (verb === 'watch' || verb === 'proxy')) return undefined;
  const ceiling = isResourceRequest && MUTATING.has(verb) ? Math.min(MUTATING_LIMIT_MS, maximumMs) : maximumMs;
  if (!request.url.rawQuery.includes('timeout')) return ceiling;
  const text = request.query.first('timeout');
  if (!text) return ceiling;
  const wanted = parseGoDuration(text);
  if (typeof wanted !== 'number') throw badRequest(`invalid timeout specified in the request URL - ${wanted.error}`);
  return wanted > 0 ? Math.min(wanted, ceiling) : ceiling;
}

/** The requests whose deadlines are watched over: those under way. */
export interface WatchedRequests {
  forEach(visit: (request: ApiRequest) => void): void;
}

/**
 * Looks at the deadlines of all requests under way, ten times a second: one timer for the server instead of one per request.
 * `onExpired` is called once for each whose time is up.
 */
export class RequestDeadlines {
  readonly #timer: NodeJS.Timeout;

  constructor(requests: WatchedRequests, onExpired: (request: ApiRequest) => void) {
    this.#timer = setInterval(() => this.#sweep(requests, onExpired), SWEEP_MS);
    this.#timer.unref();
  }

  start(request: ApiRequest, limitMs: number): void {
    request.deadline = performance.now() + limitMs;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(requests: WatchedRequests, onExpired: (request: ApiRequest) => void): void {
    const now = performance.now();
    requests.forEach((request) => {
      if (request.deadline > now) return;
      request.deadline = Infinity;
      onExpired(request);
    });
  }
}
