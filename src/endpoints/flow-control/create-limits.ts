import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { type FlowSchemaStatistics, FlowControl } from './flow-control.js';
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
  const seats = 'Nominal number of seats of a priority level.';
  registry.gauge({ name: 'apiserver_flowcontrol_nominal_limit_seats', help: seats, labels: ['priority_level'] }, (gauge) => {
    for (const level of flowControl.statistics()) gauge.with(level.name).set(level.nominalSeats);
  });
  const labels = ['priority_level', 'flow_schema'];
  const value = (name: string, help: string, read: (counts: FlowSchemaStatistics['counts']) => number): void => {
    registry.gauge({ name: `apiserver_flowcontrol_${name}`, help, labels }, (gauge) => {
      for (const schema of flowControl.schemaStatistics()) gauge.with(schema.level, schema.name).set(read(schema.counts));
    });
  };
  value('current_executing_seats', 'Seats occupied by executing requests.', ({ seats }) => seats);
  value('current_executing_requests', 'Executing requests, including those of the exempt level.', ({ executing }) => executing);
  value('current_inqueue_requests', 'Requests waiting for seats.', ({ waiting }) => waiting);
  const help = 'Requests that have begun to execute.';
  registry.counter({ name: 'apiserver_flowcontrol_dispatched_requests_total', help, labels }, (counter) => {
    for (const { level, name, counts } of flowControl.schemaStatistics()) counter.with(level, name).value = counts.dispatched;
  });
}
