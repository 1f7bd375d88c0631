import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { type PriorityLevelStatistics, FlowControl } from './flow-control.js';
import { MaxInFlight } from './max-in-flight.js';
import type { RequestLimiter } from './request-limiter.js';
import type { RequestLimits } from './request-limits.js';
import { WatchesOfUsers } from './watches-of-users.js';
import { type ResourceSizes, WorkEstimator } from './work-estimator.js';

export interface LimitsOptions {
  readonly limits: RequestLimits;
  /** Lets long lists take more seats. */
  readonly resourceSizes: ResourceSizes;
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
  const estimator = new WorkEstimator(resourceSizes);
  const flowControl = new FlowControl({ seats: readOnly + mutating, estimator, requestTimeoutMs, now });
  sampleFlowControl(metrics, flowControl);
  return flowControl;
}

/** Exports the state of priority and fairness by level, under upstream's names (apiserver util/flowcontrol/metrics). */
function sampleFlowControl(registry: MetricRegistry, flowControl: FlowControl): void {
  const value = (name: string, help: string, read: (level: PriorityLevelStatistics) => number): void => {
    registry.gauge({ name: `apiserver_flowcontrol_${name}`, help, labels: ['priority_level'] }, (gauge) => {
      for (const level of flowControl.statistics()) gauge.with(level.name).set(read(level));
    });
  };
  value('nominal_limit_seats', 'Nominal number of seats of a priority level.', (level) => level.nominalSeats);
  value('current_executing_seats', 'Seats occupied by executing requests.', (level) => level.seatsInUse);
  value('current_executing_requests', 'Executing requests, including those of the exempt level.', (level) => level.executing);
  value('current_inqueue_requests', 'Requests waiting for seats.', (level) => level.waiting);
}
