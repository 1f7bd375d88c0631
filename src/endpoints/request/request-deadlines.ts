import { badRequest } from '../../apimachinery/errors/status-errors.js';
import { isLongRunning } from '../../auth/authorization/authorizer.js';
import type { ApiRequest, ReceivedRequest } from './api-request.js';
import { ActivityTimer } from '../../telemetry/activity-timer.js';
import { parseGoDuration } from '../../apimachinery/go/go-duration.js';

/** The longest time limit of a mutating request (apiserver handlers/rest.go requestTimeoutUpperBound). */
const MUTATING_LIMIT_MS = 34_000;

const SWEEP_MS = 100;
const MUTATING = new Set(['create', 'update', 'patch', 'delete']);

/** The deadline of a request has passed. Handlers are aborted with it, and the client gets a 504. */
export class DeadlineExceeded extends Error {}

/**
 * The time limit of a request; undefined for long-running ones, as watches, which end by their own timeout. Throws the 400 for a `?timeout` that is not a
 * duration; zero and negative values set no limit (apiserver filters/request_deadline.go).
 */
export function timeLimitMs(request: ReceivedRequest, maximumMs: number): number | undefined {
  const { verb, isResourceRequest } = request.info;
  if (isLongRunning(request.info)) return undefined;
  const ceiling = isResourceRequest && MUTATING.has(verb) ? Math.min(MUTATING_LIMIT_MS, maximumMs) : maximumMs;
  if (!request.url.rawQuery.includes('timeout')) return ceiling;
  const text = request.query.first('timeout');
  if (!text) return ceiling;
  const wanted = parseGoDuration(text);
  if (typeof wanted !== 'number') throw badRequest(`invalid timeout specified in the request URL - ${wanted.error}`);
  return wanted > 0 ? Math.min(wanted, ceiling) : ceiling;
}

/** The requests in progress, whose deadlines are checked. */
export interface WatchedRequests {
  forEach(visit: (request: ApiRequest) => void): void;
}

/**
 * Checks the deadlines of all requests in progress ten times a second, while there are any: one timer for the server instead of one per
 * request. `onExpired` is called once for each expired request.
 */
export class RequestDeadlines {
  readonly #timer: ActivityTimer;

  constructor(requests: WatchedRequests, onExpired: (request: ApiRequest) => void) {
    this.#timer = new ActivityTimer(SWEEP_MS, () => this.#sweep(requests, onExpired));
  }

  limit(request: ApiRequest, limitMs: number): void {
    request.admission.limitTime(limitMs);
    this.#timer.start();
  }

  close(): void {
    this.#timer.close();
  }

  /** Expires requests that are due, and answers whether others are left. */
  #sweep(requests: WatchedRequests, onExpired: (request: ApiRequest) => void): boolean {
    const now = performance.now();
    let left = false;
    requests.forEach((request) => {
      const { admission } = request;
      if (admission.deadline > now) {
        left ||= admission.deadline < Infinity;
        return;
      }
      admission.deadlinePassed();
      onExpired(request);
    });
    return left;
  }
}
