import type { MetricText, ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { AskMetricsMessage, MetricsMessage } from './worker-messages.js';

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
