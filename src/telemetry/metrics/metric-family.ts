/** What a metric is called, and by which labels its series are told apart. */
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

/** What prom-client's registry asks of a metric. */
export interface CollectedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: readonly Sample[];
}

/**
 * One metric with its series. A series is looked up once, by the values of its labels, and kept by whoever counts: then counting is an
 * addition. (A child of prom-client's own metrics hashes and checks its labels each time, which costs 1-2 µs.)
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

  /** The series with these values of the labels, in their order. It begins to be shown with the first call. */
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

  /** Forgets all series. */
  clear(): void {
    this.#series.clear();
  }

  /** For the registry. */
  get(): Promise<CollectedMetric> {
    const values = [...this.#series.values()].flatMap(({ labels, series }) => this.samples(series, labels));
    return Promise.resolve({ name: this.name, help: this.#help, type: this.type, values });
  }

  protected abstract readonly type: CollectedMetric['type'];
  protected abstract create(): Series;
  protected abstract samples(series: Series, labels: Readonly<Record<string, string>>): Sample[];
}
