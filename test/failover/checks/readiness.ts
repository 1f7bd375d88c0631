import type { ReadinessSample, Violation, WriteRecord } from '../history.js';

/** How long a server may report ready while no write through it succeeds. */
const GRACE_MS = 5_000;
const LEAST_FAILURES = 3;

interface Outage {
  readonly from: number;
  readonly until: number;
  readonly failures: number;
}

/**
 * Servers whose /readyz returned 200 all the time while every write through them failed. A refusal counts as an answer, not as a failure.
 */
export function falselyReady(writes: readonly WriteRecord[], samples: readonly ReadinessSample[]): Violation[] {
  const byServer = Map.groupBy(writes, ({ server }) => server);
  return [...byServer].flatMap(([server, own]) => {
    const asked = samples.filter((sample) => sample.server === server);
    return outages(own).flatMap(({ from, until, failures }) => {
      const late = asked.filter(({ at }) => at > from + GRACE_MS && at < until);
      if (failures < LEAST_FAILURES || late.length < 2 || late.some(({ status }) => status !== 200)) return [];
      const text = `server ${server} was ready while ${failures} writes failed in ${Math.round(until - from)} ms`;
      return [{ kind: 'falsely ready', at: from, text }];
    });
  });
}

/** Periods in which writes failed and none succeeded, from the end of the first failure to that of the last. */
function outages(writes: readonly WriteRecord[]): Outage[] {
  const found: Outage[] = [];
  let current: Outage | undefined;
  for (const { outcome, answeredAt } of [...writes].sort((a, b) => a.answeredAt - b.answeredAt)) {
    if (outcome === 'refused') continue;
    if (outcome === 'acknowledged') {
      if (current) found.push(current);
      current = undefined;
    } else current = { from: current?.from ?? answeredAt, until: answeredAt, failures: (current?.failures ?? 0) + 1 };
  }
  return current ? [...found, current] : found;
}
