import { type RequestDeadlines, timeLimitMs } from '../request/request-deadlines.js';
import type { Filter } from './filter.js';

/** Gives requests other than watches a deadline: 400 for a timeout that is no duration. */
export function withDeadline(deadlines: RequestDeadlines, requestTimeoutMs: number): Filter {
  return (next) => (request) => {
    const limitMs = timeLimitMs(request, requestTimeoutMs);
    if (limitMs !== undefined) deadlines.limit(request, limitMs);
    next(request);
  };
}
