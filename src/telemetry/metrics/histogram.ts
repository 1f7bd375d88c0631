import { type MetricOptions, type Sample, MetricFamily } from './metric-family.js';

export interface HistogramOptions<Label extends string = string> extends MetricOptions<Label> {
  /** Upper bounds, ascending, without infinity. */
  readonly buckets: readonly number[];
}

/** Distribution of observations: counts per bucket, their number and sum. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** Not cumulative; the last bucket is +Inf. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.sum += value;
  }
}

export class HistogramFamily extends MetricFamily<Histogram> {
  protected readonly type = 'histogram';
  readonly #bounds: readonly number[];

  constructor(options: HistogramOptions) {
    super(options);
    this.#bounds = options.buckets;
  }

  protected create(): Histogram {
    return new Histogram(this.#bounds);
  }

  protected samples({ counts, sum }: Histogram, labels: Readonly<Record<string, string>>): Sample[] {
    let count = 0;
    const samples: Sample[] = [];
    counts.forEach((inBucket, at) => {
      count += inBucket;
      samples.push({ metricName: `${this.name}_bucket`, labels: { ...labels, le: bucketText(this.#bounds[at]) }, value: count });
    });
    samples.push({ metricName: `${this.name}_sum`, labels, value: sum }, { metricName: `${this.name}_count`, labels, value: count });
    return samples;
  }
}

/** A bound as Go writes it, from a million on with an exponent (strconv.FormatFloat with 'g'). */
function bucketText(bound: number | undefined): string {
  if (bound === undefined) return '+Inf';
  return bound < 1e6 ? String(bound) : bound.toExponential().replace(/e\+(\d)$/, 'e+0$1');
}

/** `count` bounds, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => start * factor ** at);
}
