import type { MetricText, ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { ServerSettings } from '../config/server-settings.js';
import type { DatabaseLocation } from '../../storage/database/start/database-url.js';
import type { RunningServer } from '../process/start-replica.js';

/** The first message to a worker, with everything it needs, so that a later worker is configured like earlier ones. */
export interface StartMessage {
  readonly type: 'start';
  readonly id: number;
  readonly config: ServerSettings;
  readonly database: DatabaseLocation;
}

/** Finish requests in progress, then exit. */
interface StopMessage {
  readonly type: 'stop';
}

interface ServingMessage {
  readonly type: 'serving';
  readonly server: RunningServer;
}

/** The worker cannot start, for a one-line reason; it exits after this. */
interface FailedMessage {
  readonly type: 'failed';
  readonly reason: string;
}

/** Requests the other side's metrics; sent in both directions. */
export interface AskMetricsMessage {
  readonly type: 'ask-metrics';
  readonly request: number;
  readonly registry: keyof ServerMetrics;
}

export interface MetricsMessage {
  readonly type: 'metrics';
  readonly request: number;
  readonly metrics: readonly MetricText[];
}

export type ToWorker = StartMessage | StopMessage | AskMetricsMessage | MetricsMessage;
export type FromWorker = ServingMessage | FailedMessage | AskMetricsMessage | MetricsMessage;
