/** A quantile of sorted values, such as 0.99 for p99; 0 if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
}

/** The longest time between two successes that overlaps a window; without a success beyond an edge, the edge counts as one. */
export function longestGap(successes: readonly number[], from: number, until: number): number {
  const before = successes.findLast((at) => at < from) ?? from;
  const after = successes.find((at) => at > until) ?? until;
  const inside = [before, ...successes.filter((at) => at >= from && at <= until), after];
  return Math.max(...inside.slice(1).map((at, index) => at - (inside[index] ?? at)));
}
