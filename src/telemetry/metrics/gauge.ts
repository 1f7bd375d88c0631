import { type CollectedMetric, type MetricOptions, type Sample, MetricFamily } from './metric-family.js';

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
