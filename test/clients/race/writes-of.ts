/** How writes have ended. */
export interface Writes {
  readonly committed: number;
  readonly stale: number;
  /** Neither: a connection failed, or an answer took too long. */
  readonly unknown: number;
}

/** The sum of the lines "wrote COMMITTED STALE UNKNOWN LAST", and of the lines "written TOKEN" and "refused TOKEN" of single writes. */
export function writesOf(lines: readonly string[]): Writes {
  const sum = { committed: 0, stale: 0, unknown: 0 };
  for (const line of lines) {
    if (/^written \d+$/.test(line)) sum.committed++;
    if (/^refused \d+$/.test(line)) sum.stale++;
    const [, committed, stale, unknown] = /^wrote (\d+) (\d+) (\d+) \d+$/.exec(line) ?? [];
    sum.committed += Number(committed ?? 0);
    sum.stale += Number(stale ?? 0);
    sum.unknown += Number(unknown ?? 0);
  }
  return sum;
}
