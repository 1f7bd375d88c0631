import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Metric } from 'prom-client';
import { CounterFamily } from './counter.js';
import { GaugeFamily } from './gauge.js';
import type { HistogramOptions } from './histogram.js';
import { HistogramFamily } from './histogram.js';
import type { MetricOptions } from './metric-family.js';

/** As client_golang names the format, whatever a client accepts. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/**
 * How often the event loop is asked how late it is; Node counts this into what it tells, so a loop at rest is this late. Every 10 ms, which
 * is prom-client's default, took more than half of the CPU time of a server that nobody asks anything.
 */
const LOOP_SAMPLE_MS = 50;

/** One metric in Prometheus' text format: its help and type, and its series. */
export interface MetricText {
  readonly name: string;
  readonly text: string;
}

/** For one of several processes that are one server to whoever scrapes. */
export interface SharedMetrics {
  /** On every series of this process: a series of another one is another series. */
  readonly labels: Readonly<Record<string, string>>;
  /** What the other processes have to tell at the moment. */
  readonly others: () => Promise<readonly MetricText[]>;
}

/** The metrics of one server, told in Prometheus' text format. Names are unique. */
export class MetricRegistry {
  readonly #registry = new Registry();
  readonly #others: SharedMetrics['others'] | undefined;

  constructor(shared?: SharedMetrics) {
    if (shared) this.#registry.setDefaultLabels(shared.labels);
    this.#others = shared?.others;
  }

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
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  }

  /** Everything, ordered by name as client_golang has it. */
  async text(): Promise<string> {
    const [own, others = []] = await Promise.all([this.own(), this.#others?.()]);
    return `${merged([...own, ...others]).join('\n')}\n`;
  }

  /** What this process itself has to tell. */
  async own(): Promise<MetricText[]> {
    const names = (this.#registry.getMetricsAsArray() as unknown as { name: string }[]).map(({ name }) => name);
    return Promise.all(names.map(async (name) => ({ name, text: await this.#registry.getSingleMetricAsString(name) })));
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

const COMMENTS = /^#.*\n?/gm;

/** The metrics by name, those of one name as one: help and type come once. */
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
