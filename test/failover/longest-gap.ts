/** The longest time between two successes that overlaps a window; without a success beyond an edge, the edge counts as one. */
export function longestGap(successes: readonly number[], from: number, until: number): number {
  const before = successes.findLast((at) => at < from) ?? from;
  const after = successes.find((at) => at > until) ?? until;
  const inside = [before, ...successes.filter((at) => at >= from && at <= until), after];
  return Math.max(...inside.slice(1).map((at, index) => at - (inside[index] ?? at)));
}
