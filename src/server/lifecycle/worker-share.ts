import type { ServerMetrics } from '../../telemetry/metrics/metric-registry.js';

/** Given to a replica that shares its port with others on the machine (docs/decisions/0016-workers.md). */
export interface WorkerShare {
  /** From 1 on; a replacement keeps the number of the worker it replaces. */
  readonly id: number;
  /** This worker's metrics, which include those of the others when scraped. */
  readonly metrics: ServerMetrics;
}
