/** The value below which this share of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Prints how long operations took, in milliseconds. */
export function print(what: string, took: readonly number[], unit: string): void {
  const sorted = [...took].sort((a, b) => a - b);
  const [p50, p99, longest] = [quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1)];
  console.log(`${what}: ${took.length} ${unit}, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(0)} ms`);
}
