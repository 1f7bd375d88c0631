import { type CollectedMetric, type MetricOptions, type Sample, MetricFamily } from './metric-family.js';

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
