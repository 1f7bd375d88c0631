import { quantile } from '../../support/quantile.js';
import type { LatencyFigures } from './victim-figures.js';

/** Durations of requests; an unanswered request counts with the time elapsed so far. */
export class Latencies {
  #took: number[] = [];
  #errors = 0;
  readonly #pending = new Set<{ readonly since: number }>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Measures one request; an error is counted together with its duration. */
  async measure<T>(request: () => Promise<T>): Promise<T> {
    const entry = { since: this.#now() };
    this.#pending.add(entry);
    try {
      return await request();
    } catch (error) {
      this.#errors++;
      throw error;
    } finally {
      this.#pending.delete(entry);
      this.#took.push(this.#now() - entry.since);
    }
  }

  /** The figures since the last call. */
  collect(): LatencyFigures {
    const now = this.#now();
    const all = [...this.#took, ...[...this.#pending].map(({ since }) => now - since)];
    const at = (share: number) => round(quantile(all, share));
    const figures = { count: all.length, p50: at(0.5), p99: at(0.99), max: at(1), errors: this.#errors };
    this.#took = [];
    this.#errors = 0;
    return figures;
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
