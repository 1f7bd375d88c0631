import { type Counter, type Histogram, type MetricOptions, exponentialBuckets } from '../telemetry/metrics/metric-family.js';
import type { MetricRegistry } from '../telemetry/metrics/metric-registry.js';

type Named = Pick<MetricOptions, 'name' | 'help'>;
type Series = { readonly attempts: Counter; readonly seconds: Histogram };

/** Counts attempts by their result, and measures how long they took. */
export class AttemptMetrics<Result extends string> {
  readonly #byResult: Readonly<Record<Result, Series>>;

  constructor(registry: MetricRegistry, results: readonly Result[], { attempts, seconds }: { attempts: Named; seconds: Named }) {
    const labels = ['result'];
    const counter = registry.counter({ ...attempts, labels });
    const histogram = registry.histogram({ ...seconds, labels, buckets: exponentialBuckets(0.001, 2, 15) });
    const series = results.map((result) => [result, { attempts: counter.with(result), seconds: histogram.with(result) }]);
    this.#byResult = Object.fromEntries(series) as Record<Result, Series>;
  }

  /** `begun`: by `performance.now()`. */
  count(result: Result, begun: number): void {
    const { attempts, seconds } = this.#byResult[result];
    attempts.inc();
    seconds.observe((performance.now() - begun) / 1000);
  }
}
