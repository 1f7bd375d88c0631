import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { FlowControl, PriorityLevelStatistics } from './flow-control.js';

/** Exports the state of priority and fairness by level, under upstream's names (apiserver util/flowcontrol/metrics). */
export function sampleFlowControl(registry: MetricRegistry, flowControl: FlowControl): void {
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
