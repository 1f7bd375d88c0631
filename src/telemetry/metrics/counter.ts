import { type Sample, MetricFamily } from './metric-family.js';

/** A number that only increases. */
export class Counter {
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }
}

export class CounterFamily extends MetricFamily<Counter> {
  protected readonly type = 'counter';

  protected create(): Counter {
    return new Counter();
  }

  protected samples({ value }: Counter, labels: Readonly<Record<string, string>>): Sample[] {
    return [{ labels, value }];
  }
}
