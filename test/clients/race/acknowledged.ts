import type { Belief } from './term-disagreements.js';

/** What clients were told of their writes. */
export interface Acknowledged {
  /** Writes to a lease, by their holders. */
  readonly revisions: readonly Belief[];
  /** Positions of rows in fenced tables: of each process the last one before each of its reports, so also the one that a crash is likeliest to take. */
  readonly positions: readonly bigint[];
}

/** By the lines "acknowledged ID REVISION" and "wrote COMMITTED STALE UNKNOWN LAST". */
export function acknowledged(lines: readonly string[]): Acknowledged {
  const revisions: Belief[] = [];
  const positions = new Set<bigint>();
  for (const line of lines) {
    const [, holder, revision = 0] = /^acknowledged (\S+) (\d+)$/.exec(line) ?? [];
    if (holder !== undefined) revisions.push({ holder, token: BigInt(revision) });
    const [, last = 0] = /^wrote \d+ \d+ \d+ (\d+)$/.exec(line) ?? [];
    if (Number(last) > 0) positions.add(BigInt(last));
  }
  return { revisions, positions: [...positions] };
}
