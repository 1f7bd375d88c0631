import type { HttpApplicationOptions } from '../http-application-options.js';
import { FlowControl } from './flow-control.js';
import { MaxInFlight } from './max-in-flight.js';
import type { RequestLimiter } from './request-limiter.js';
import { WatchesOfUsers } from './watches-of-users.js';
import { WorkEstimator } from './work-estimator.js';

export interface Limits {
  readonly limiter: RequestLimiter;
  readonly watches: WatchesOfUsers;
}

/** The limits that the options ask for. */
export function createLimits(options: HttpApplicationOptions): Limits {
  return { limiter: createLimiter(options), watches: new WatchesOfUsers(options.limits.watchesPerUser) };
}

function createLimiter({ limits, resourceSizes, requestTimeoutMs, now }: HttpApplicationOptions): RequestLimiter {
  const { readOnly, mutating } = limits;
  if (!limits.priorityAndFairness) return new MaxInFlight({ readOnly, mutating });
  const estimator = new WorkEstimator(resourceSizes ?? (() => undefined));
  return new FlowControl({ seats: readOnly + mutating, estimator, requestTimeoutMs, now });
}
