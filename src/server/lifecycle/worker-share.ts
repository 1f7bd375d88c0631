import type { ServerMetrics } from '../../telemetry/metrics/metric-registry.js';

/** What a replica that shares its port with others on the machine is given (docs/decisions/0016-workers.md). */
export interface WorkerShare {
  /** From 1 on; whoever replaces a worker has its number. */
  readonly id: number;
  /** Its own, which tell the others' as well. */
  readonly metrics: ServerMetrics;
}
