import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { FlowControl } from './flow-control.js';
import { sampleFlowControl } from './flow-control-metrics.js';
import { MaxInFlight } from './max-in-flight.js';
import type { RequestLimiter } from './request-limiter.js';
import type { RequestLimits } from './request-limits.js';
import { WatchesOfUsers } from './watches-of-users.js';
import type { ResourceSizes } from './work-estimator.js';
import { WorkEstimator } from './work-estimator.js';

export interface LimitsOptions {
  readonly limits: RequestLimits;
  /** Lets long lists take more seats; without it every request takes one. */
  readonly resourceSizes?: ResourceSizes;
  /** Maximum duration of a request, including its time in a queue. */
  readonly requestTimeoutMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Limits {
  readonly limiter: RequestLimiter;
  readonly watches: WatchesOfUsers;
}

/** Creates the limits selected by the options, and registers their metrics. */
export function createLimits(options: LimitsOptions, metrics: MetricRegistry): Limits {
  return { limiter: createLimiter(options, metrics), watches: new WatchesOfUsers(options.limits.watchesPerUser) };
}

function createLimiter(options: LimitsOptions, metrics: MetricRegistry): RequestLimiter {
  const { limits, resourceSizes, requestTimeoutMs, now } = options;
  const { readOnly, mutating } = limits;
  if (!limits.priorityAndFairness) return new MaxInFlight({ readOnly, mutating });
  const estimator = new WorkEstimator(resourceSizes ?? (() => undefined));
  const flowControl = new FlowControl({ seats: readOnly + mutating, estimator, requestTimeoutMs, now });
  sampleFlowControl(metrics, flowControl);
  return flowControl;
}
