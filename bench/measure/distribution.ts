import type { Figures } from './figures.js';

/** Durations of one load, in milliseconds, and what is told of them. */
export class Distribution {
  readonly #values: number[] = [];

  add(ms: number): void {
    this.#values.push(ms);
  }

  get count(): number {
    return this.#values.length;
  }

  /** The value below which this share of all lies; 0 when there is none. */
  quantile(share: number): number {
    const sorted = Float64Array.from(this.#values).sort();
    const at = Math.min(sorted.length - 1, Math.floor(share * sorted.length));
    return Math.round((sorted[at] ?? 0) * 100) / 100;
  }

  percentiles(): Figures {
    return { 'p50 ms': this.quantile(0.5), 'p99 ms': this.quantile(0.99) };
  }
}
