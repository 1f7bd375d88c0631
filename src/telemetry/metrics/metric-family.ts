/** A metric's name, help and labels. */
export interface MetricOptions<Label extends string = string> {
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly labels?: readonly Label[];
}

/** A line of the text format, as prom-client writes it. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** The interface that prom-client's registry expects of a metric. */
export interface CollectedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: readonly Sample[];
}

/**
 * A metric and its series. Callers look a series up once by label values and keep it, so that counting is an addition. (prom-client's own
 * metrics hash and check labels on every call, which costs 1-2 µs.)
 */
export abstract class MetricFamily<Series> {
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
