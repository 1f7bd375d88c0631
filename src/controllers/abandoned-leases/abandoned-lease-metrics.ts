import { Inject, Injectable } from '@nestjs/common';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';

/** Counts leases that were deleted because they expired long ago. */
@Injectable()
export class AbandonedLeaseMetrics {
  readonly deleted: () => void;

  constructor(@Inject(SERVER_METRICS) { main }: ServerMetrics) {
    const name = 'coordination_abandoned_leases_total';
    const counter = main.counter({ name, help: 'Leases that this replica deleted because they expired long ago.' }).with();
    this.deleted = () => counter.inc();
  }
}
