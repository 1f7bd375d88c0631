import type { MetricText, ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { ServerConfig } from '../config/server-config.js';
import type { DatabaseLocation } from '../lifecycle/foundation.js';
import type { RunningServer } from '../lifecycle/start-replica.js';

/** The first message to a worker: all that it needs, so that one started later is like those before. */
export interface StartMessage {
  readonly type: 'start';
  readonly id: number;
  readonly config: ServerConfig;
  readonly database: DatabaseLocation;
}

/** Finish what is under way, and end. */
export interface StopMessage {
  readonly type: 'stop';
}

export interface ServingMessage {
  readonly type: 'serving';
  readonly server: RunningServer;
}

/** It cannot start, in one line; it ends after this. */
export interface FailedMessage {
  readonly type: 'failed';
  readonly reason: string;
}

/** In both directions: what has the other side to tell? */
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
