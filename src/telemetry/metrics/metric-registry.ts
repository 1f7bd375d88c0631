import { type Metric, collectDefaultMetrics, Registry } from 'prom-client';
import { type HistogramOptions, type MetricOptions, CounterFamily, GaugeFamily, HistogramFamily } from './metric-family.js';

/** The content type that client_golang sends, whatever a client accepts. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/**
 * Sampling interval of event loop lag. Node includes the interval in the lag, so an idle loop shows this value. prom-client's default of 10
 * ms took more than half of an idle server's CPU time.
 */
const LOOP_SAMPLE_MS = 100;

/** One metric in Prometheus' text format: help, type and series. */
export interface MetricText {
  readonly name: string;
  readonly text: string;
}

/** Merges the metrics of several processes that one scrape reads as one server. */
export interface SharedMetrics {
  /** Added to every series of this process, to keep it apart from those of others. */
  readonly labels: Readonly<Record<string, string>>;
  /** Reads the current metrics of the other processes. */
  readonly others: () => Promise<readonly MetricText[]>;
}

/** The metrics of one server in Prometheus' text format. Names are unique. */
export class MetricRegistry {
  readonly #registry = new Registry();
  readonly #others: SharedMetrics['others'] | undefined;

  constructor(shared?: SharedMetrics) {
    if (shared) this.#registry.setDefaultLabels(shared.labels);
    this.#others = shared?.others;
  }

  counter(options: MetricOptions, collect?: (family: CounterFamily) => void): CounterFamily {
    return this.#add(new CounterFamily(options, collect));
  }

  gauge(options: MetricOptions, collect?: (family: GaugeFamily) => void | Promise<void>): GaugeFamily {
    return this.#add(new GaugeFamily(options, collect));
  }

  histogram(options: HistogramOptions): HistogramFamily {
    return this.#add(new HistogramFamily(options));
  }

  /** Adds prom-client's metrics of the process and of Node.js. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  }

  /** All metrics, sorted by name as client_golang does. */
  async text(): Promise<string> {
    const [own, others = []] = await Promise.all([this.own(), this.#others?.()]);
    return `${merged([...own, ...others]).join('\n')}\n`;
  }

  /** The metrics of this process alone. */
  async own(): Promise<MetricText[]> {
    const names = (this.#registry.getMetricsAsArray() as unknown as { name: string }[]).map(({ name }) => name);
    return Promise.all(names.map(async (name) => ({ name, text: await this.#registry.getSingleMetricAsString(name) })));
  }

  #add<T extends CounterFamily | GaugeFamily | HistogramFamily>(family: T): T {
    this.#registry.registerMetric(family as unknown as Metric);
    return family;
  }
}

/** The documents at /metrics and /metrics/slis. */
export interface ServerMetrics {
  readonly main: MetricRegistry;
  readonly slis: MetricRegistry;
}

/** Injection token of the ServerMetrics. */
export const SERVER_METRICS = Symbol('ServerMetrics');

export function createServerMetrics(): ServerMetrics {
  return { main: new MetricRegistry(), slis: new MetricRegistry() };
}

const COMMENTS = /^#.*\n?/gm;

/** Merges metrics of the same name, so that help and type appear once. */
function merged(metrics: readonly MetricText[]): string[] {
  const byName = new Map<string, string>();
  for (const { name, text } of metrics) {
    const before = byName.get(name);
    const series = before === undefined ? text : text.replace(COMMENTS, '');
    if (before === undefined) byName.set(name, series);
    else if (series !== '') byName.set(name, `${before}\n${series}`);
  }
  return [...byName].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
}
