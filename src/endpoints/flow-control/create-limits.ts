import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { HttpApplicationOptions } from '../http-application-options.js';
import { FlowControl } from './flow-control.js';
import { sampleFlowControl } from './flow-control-metrics.js';
import { MaxInFlight } from './max-in-flight.js';
import type { RequestLimiter } from './request-limiter.js';
import { WatchesOfUsers } from './watches-of-users.js';
import { WorkEstimator } from './work-estimator.js';

export interface Limits {
  readonly limiter: RequestLimiter;
  readonly watches: WatchesOfUsers;
}

/** The limits that the options ask for, and that the metrics show. */
export function createLimits(options: HttpApplicationOptions, metrics: MetricRegistry): Limits {
  return { limiter: createLimiter(options, metrics), watches: new WatchesOfUsers(options.limits.watchesPerUser) };
}

function createLimiter(options: HttpApplicationOptions, metrics: MetricRegistry): RequestLimiter {
  const { limits, resourceSizes, requestTimeoutMs, now } = options;
  const { readOnly, mutating } = limits;
  if (!limits.priorityAndFairness) return new MaxInFlight({ readOnly, mutating });
  const estimator = new WorkEstimator(resourceSizes ?? (() => undefined));
  const flowControl = new FlowControl({ seats: readOnly + mutating, estimator, requestTimeoutMs, now });
  sampleFlowControl(metrics, flowControl);
  return flowControl;
}
