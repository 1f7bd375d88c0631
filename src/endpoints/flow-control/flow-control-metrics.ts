import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { FlowControl, PriorityLevelStatistics } from './flow-control.js';

/** Exports the state of priority and fairness by level, under upstream's names (apiserver util/flowcontrol/metrics). */
export function sampleFlowControl(registry: MetricRegistry, flowControl: FlowControl): void {
  const value = (name: string, help: string, read: (level: PriorityLevelStatistics) => number): void => {
    registry.gauge({ name: `apiserver_flowcontrol_${name}`, help, labels: ['priority_level'] }, (gauge) => {
      for (const level of flowControl.statistics()) gauge.with(level.name).set(read(level));
    });
  };
  value('nominal_limit_seats', 'Seats that a priority level has of its own.', (level) => level.nominalSeats);
  value('current_executing_seats', 'Seats of requests that are being worked on.', (level) => level.seatsInUse);
  value('current_executing_requests', 'Requests that are being worked on, those of the exempt level included.', (level) => level.executing);
  value('current_inqueue_requests', 'Requests that wait for seats.', (level) => level.waiting);
}
