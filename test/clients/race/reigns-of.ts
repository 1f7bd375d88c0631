/** From the line that reports a leader to the one that reports its loss, or to the end of its process. Times are those of `performance.now()`. */
export interface Reign {
  readonly holder: string;
  /** Where the client knows it. */
  readonly token: bigint | undefined;
  readonly from: number;
  readonly until: number;
  readonly ended: 'lost' | 'killed' | 'running';
}

export interface Printed {
  readonly lines: readonly string[];
  /** When each line was read. */
  readonly readAt: readonly number[];
  /** When the process ended; undefined while it runs. */
  readonly endedAt: number | undefined;
}

/** When a process believed to lead, by what it printed. */
export function reignsOf({ lines, readAt, endedAt }: Printed): Reign[] {
  const reigns: Reign[] = [];
  let open: Pick<Reign, 'holder' | 'token' | 'from'> | undefined;
  lines.forEach((line, index) => {
    const [, word, holder = '', token] = /^(leading|lost) (\S+)(?: (\d+)$)?/.exec(line) ?? [];
    const at = readAt[index] ?? 0;
    if (word === undefined) return;
    if (open) reigns.push({ ...open, until: at, ended: 'lost' });
    open = word === 'leading' ? { holder, token: token === undefined ? undefined : BigInt(token), from: at } : undefined;
  });
  if (open) reigns.push({ ...open, until: endedAt ?? performance.now(), ended: endedAt === undefined ? 'running' : 'killed' });
  return reigns;
}
