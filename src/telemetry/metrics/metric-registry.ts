import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Metric } from 'prom-client';
import { CounterFamily } from './counter.js';
import { GaugeFamily } from './gauge.js';
import type { HistogramOptions } from './histogram.js';
import { HistogramFamily } from './histogram.js';
import type { MetricOptions } from './metric-family.js';

/** As client_golang names the format, whatever a client accepts. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** The metrics of one server, told in Prometheus' text format. Names are unique. */
export class MetricRegistry {
  readonly #registry = new Registry();

  counter(options: MetricOptions): CounterFamily {
    return this.#add(new CounterFamily(options));
  }

  gauge(options: MetricOptions, collect?: (family: GaugeFamily) => void): GaugeFamily {
    return this.#add(new GaugeFamily(options, collect));
  }

  histogram(options: HistogramOptions): HistogramFamily {
    return this.#add(new HistogramFamily(options));
  }

  /** What prom-client tells of the process and of Node. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Everything, ordered by name as client_golang has it. */
  async text(): Promise<string> {
    const names = (this.#registry.getMetricsAsArray() as unknown as { name: string }[]).map(({ name }) => name).sort();
    const texts = await Promise.all(names.map((name) => this.#registry.getSingleMetricAsString(name)));
    return `${texts.join('\n')}\n`;
  }

  #add<T extends CounterFamily | GaugeFamily | HistogramFamily>(family: T): T {
    this.#registry.registerMetric(family as unknown as Metric);
    return family;
  }
}

/** What the server tells at /metrics, and at /metrics/slis. */
export interface ServerMetrics {
  readonly main: MetricRegistry;
  readonly slis: MetricRegistry;
}

export function createServerMetrics(): ServerMetrics {
  return { main: new MetricRegistry(), slis: new MetricRegistry() };
}
