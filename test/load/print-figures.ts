import { quantile } from '../support/quantile.js';

/** Prints how long operations took, in milliseconds. */
export function print(what: string, took: readonly number[], unit: string): void {
  const [p50, p99, longest] = [quantile(took, 0.5), quantile(took, 0.99), quantile(took, 1)];
  console.log(`${what}: ${took.length} ${unit}, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(0)} ms`);
}
