import type { Figures } from './figures.js';

/** Durations of one load, in milliseconds, and their reported figures. */
export class Distribution {
  readonly #values: number[] = [];

  add(ms: number): void {
    this.#values.push(ms);
  }

  get count(): number {
    return this.#values.length;
  }

  /** The value below which this share of all durations lies; 0 if there are none. */
  quantile(share: number): number {
    const sorted = Float64Array.from(this.#values).sort();
    const at = Math.min(sorted.length - 1, Math.floor(share * sorted.length));
    return Math.round((sorted[at] ?? 0) * 100) / 100;
  }

  percentiles(): Figures {
    return { 'p50 ms': this.quantile(0.5), 'p99 ms': this.quantile(0.99) };
  }
}
