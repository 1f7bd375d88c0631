/** A metric's name, help and labels. */
export interface MetricOptions<Label extends string = string> {
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly labels?: readonly Label[];
}

/** A line of the text format, as prom-client writes it. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** The interface that prom-client's registry expects of a metric. */
interface CollectedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: readonly Sample[];
}

/**
 * A metric and its series. Callers look a series up once by label values and keep it, so that counting is an addition. (prom-client's own
 * metrics hash and check labels on every call, which costs 1-2 µs.)
 */
abstract class MetricFamily<Series> {
  readonly name: string;
  readonly #help: string;
  readonly #labels: readonly string[];
  readonly #series = new Map<string, { readonly labels: Record<string, string>; readonly series: Series }>();

  constructor({ name, help, labels = [] }: MetricOptions) {
    this.name = name;
    this.#help = help;
    this.#labels = labels;
  }

  /** Returns the series with these label values, in order of the labels. The first call makes it visible. */
  with(...values: string[]): Series {
    const key = values.join('\0');
    const known = this.#series.get(key);
    if (known) return known.series;
    if (values.length !== this.#labels.length) throw new Error(`${this.name} has ${this.#labels.length} labels, not ${values.length}`);
    const labels = Object.fromEntries(this.#labels.map((label, at) => [label, values[at] ?? '']));
    const series = this.create();
    this.#series.set(key, { labels, series });
    return series;
  }

  /** Removes all series. */
  clear(): void {
    this.#series.clear();
  }

  /** Called by the registry. */
  get(): Promise<CollectedMetric> {
    const values = [...this.#series.values()].flatMap(({ labels, series }) => this.samples(series, labels));
    return Promise.resolve({ name: this.name, help: this.#help, type: this.type, values });
  }

  protected abstract readonly type: CollectedMetric['type'];
  protected abstract create(): Series;
  protected abstract samples(series: Series, labels: Readonly<Record<string, string>>): Sample[];
}

/** A number that only increases. */
export class Counter {
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }
}

export class CounterFamily extends MetricFamily<Counter> {
  protected readonly type = 'counter';
  readonly #collect: ((family: CounterFamily) => void) | undefined;

  /** `collect` updates the series before each scrape, for what is counted elsewhere. */
  constructor(options: MetricOptions, collect?: (family: CounterFamily) => void) {
    super(options);
    this.#collect = collect;
  }

  override get(): Promise<CollectedMetric> {
    this.#collect?.(this);
    return super.get();
  }

  protected create(): Counter {
    return new Counter();
  }

  protected samples({ value }: Counter, labels: Readonly<Record<string, string>>): Sample[] {
    return [{ labels, value }];
  }
}

/** A number that goes up and down. */
export class Gauge {
  value = 0;

  set(value: number): void {
    this.value = value;
  }

  inc(): void {
    this.value += 1;
  }

  dec(): void {
    this.value -= 1;
  }
}

export class GaugeFamily extends MetricFamily<Gauge> {
  protected readonly type = 'gauge';
  readonly #collect: ((family: GaugeFamily) => void | Promise<void>) | undefined;

  /** `collect` updates the series before each scrape, for values that are counted elsewhere. */
  constructor(options: MetricOptions, collect?: (family: GaugeFamily) => void | Promise<void>) {
    super(options);
    this.#collect = collect;
  }

  override async get(): Promise<CollectedMetric> {
    await this.#collect?.(this);
    return super.get();
  }

  protected create(): Gauge {
    return new Gauge();
  }

  protected samples({ value }: Gauge, labels: Readonly<Record<string, string>>): Sample[] {
    return [{ labels, value }];
  }
}

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
