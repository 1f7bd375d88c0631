import type { PrimaryTime } from '../history.js';

export interface Split {
  readonly nodes: readonly [string, string];
  readonly from: number;
  readonly until: number;
}

/** Periods with two primaries: the database's manager must prevent them, and no client can observe them. */
export function splits(times: readonly PrimaryTime[]): Split[] {
  const ordered = [...times].sort((a, b) => a.from - b.from);
  return ordered.flatMap((earlier, at) =>
    ordered.slice(at + 1).flatMap((later) => {
      const until = Math.min(earlier.until, later.until);
      return earlier.node !== later.node && until > later.from
        ? [{ nodes: [earlier.node, later.node] as const, from: later.from, until }]
        : [];
    }),
  );
}
