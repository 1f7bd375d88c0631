import { whenReady } from '../../time/backoff.js';
import type { ApiRequest } from '../request/api-request.js';

/** Answers a request, or passes it on. What it throws becomes the response. */
export type Handler = (request: ApiRequest) => void;

/** A stage in front of a handler, bound to it once, at the start (upstream: apiserver endpoints/filters). */
export type Filter = (next: Handler) => Handler;

/** Sends an error as the response. */
export type Fail = (request: ApiRequest, error: unknown) => void;

/** The handler that a request meets first: the filters in their order, and then `last`. */
export function chain(filters: readonly Filter[], last: Handler): Handler {
  return filters.reduceRight((next, filter) => filter(next), last);
}

/** Requests for public pages pass the filter by. */
export function exceptPublic(filter: Filter): Filter {
  return (next) => {
    const filtered = filter(next);
    return (request) => (request.isPublic ? next(request) : filtered(request));
  };
}

/** Goes on with a value that is there now or later, and sends what fails later; what fails now is thrown. */
export function goOn<T>(request: ApiRequest, value: T | Promise<T>, next: (value: T) => void, fail: Fail): void {
  const going = whenReady(value, next) as Promise<void> | undefined;
  going?.catch((error: unknown) => fail(request, error));
}
