/** A share of sorted values, such as 0.99 for p99; 0 without any. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
}

/** The longest time between two successes that touches a window; the window's edges count as such where there is none beyond. */
export function longestGap(successes: readonly number[], from: number, until: number): number {
  const before = successes.findLast((at) => at < from) ?? from;
  const after = successes.find((at) => at > until) ?? until;
  const inside = [before, ...successes.filter((at) => at >= from && at <= until), after];
  return Math.max(...inside.slice(1).map((at, index) => at - (inside[index] ?? at)));
}
