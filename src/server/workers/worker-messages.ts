import type { DatabaseLocation } from '../../storage/database/start/database-url.js';
import type { MetricText, ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { ServerSettings } from '../config/server-settings.js';
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

export interface MetricsExchangeOptions {
  readonly send: (message: AskMetricsMessage | MetricsMessage) => void;
  /** The metrics of this side. */
  readonly tell: (registry: keyof ServerMetrics) => Promise<readonly MetricText[]>;
  /** Workers that do not answer in time are left out, so that one that hangs does not hide the others' metrics. */
  readonly timeoutMs: number;
}

/** One side of a channel over which both sides request each other's metrics. */
export class MetricsExchange {
  readonly #options: MetricsExchangeOptions;
  readonly #waiting = new Map<number, (metrics: readonly MetricText[]) => void>();
  #requests = 0;

  constructor(options: MetricsExchangeOptions) {
    this.#options = options;
  }

  ask(registry: keyof ServerMetrics): Promise<readonly MetricText[]> {
    const request = this.#requests++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#take(request, []), this.#options.timeoutMs);
      this.#waiting.set(request, (metrics) => {
        clearTimeout(timer);
        resolve(metrics);
      });
      this.#options.send({ type: 'ask-metrics', request, registry });
    });
  }

  /** Handles the other side's messages of these types. */
  receive(message: AskMetricsMessage | MetricsMessage): void {
    if (message.type === 'metrics') this.#take(message.request, message.metrics);
    else void this.#answer(message);
  }

  /** The other side is gone; open requests end without metrics. */
  close(): void {
    for (const request of this.#waiting.keys()) this.#take(request, []);
  }

  #take(request: number, metrics: readonly MetricText[]): void {
    const waiting = this.#waiting.get(request);
    this.#waiting.delete(request);
    waiting?.(metrics);
  }

  async #answer({ request, registry }: AskMetricsMessage): Promise<void> {
    // Without an answer the other side would wait until its timeout.
    const metrics = await this.#options.tell(registry).catch(() => []);
    this.#options.send({ type: 'metrics', request, metrics });
  }
}

/** What `serve --workers` gives the program that it starts for each worker, in place of a command. */
export const WORKER = '--worker';
