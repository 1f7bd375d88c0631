import type { ChangeResult } from './contest.js';
import type { Contestant, Kind } from './contestant.js';
import type { WriteFigures } from './fenced-table.js';
import type { LeaseHistory } from './lease-history.js';

export const LEASE_DURATION = 3_000;
export const RENEW_DEADLINE = 2_000;
const RETRY_PERIOD = 500;

/**
 * How long a leader that was stopped beyond its lease may still believe that it leads. This package knows at once, by its clock.
 * client-go retries within a retry period, for up to a whole renew deadline; the rest is a margin for a busy machine.
 */
const STEPS_DOWN_WITHIN: Readonly<Record<Kind, number>> = { typescript: RENEW_DEADLINE, go: RENEW_DEADLINE + 2 * RETRY_PERIOD };

export interface TortureReport {
  readonly results: readonly ChangeResult[];
  readonly acquisitions: number;
  readonly violations: readonly string[];
  /** The smallest number of milliseconds between a renewal and the acquisition that followed it. */
  readonly shortestVacancy: Readonly<Record<Kind, number>>;
  /** Tokens given to a TypeScript leader, and those among them that are not the revision of one of its own acquiring writes. */
  readonly tokens: number;
  readonly wrongTokens: readonly string[];
  readonly writes: WriteFigures;
  /** Every violation; empty for a run that has passed. */
  readonly failures: readonly string[];
}

interface Evidence {
  readonly results: readonly ChangeResult[];
  readonly history: LeaseHistory;
  readonly contestants: readonly Contestant[];
  readonly writes: WriteFigures;
}

/** The results of a run. */
export function tortureReport({ results, history, contestants, writes }: Evidence): TortureReport {
  const acquiring = new Set(history.acquisitions.map(({ holder, revision }) => `leading ${holder} ${revision}`));
  const tokens = contestants
    .filter(({ kind }) => kind === 'typescript')
    .flatMap(({ lines }) => lines.filter((line) => line.startsWith('leading ')));
  const facts = {
    results,
    acquisitions: acquiring.size,
    violations: history.violations(LEASE_DURATION),
    shortestVacancy: { go: history.shortestVacancy('go'), typescript: history.shortestVacancy('typescript') },
    tokens: tokens.length,
    wrongTokens: tokens.filter((line) => !acquiring.has(line)),
    writes,
  };
  return { ...facts, failures: failuresOf(facts) };
}

function failuresOf({ results, acquisitions, violations, tokens, wrongTokens, writes }: Omit<TortureReport, 'failures'>): string[] {
  const late = results.filter(
    ({ change, from, steppedDownAfter = 0 }) => change === 'paused' && steppedDownAfter >= STEPS_DOWN_WITHIN[from],
  );
  return [
    ...violations,
    ...wrongTokens.map((line) => `a token of no acquiring write: ${line}`),
    ...late.map(({ from, steppedDownAfter }) => `a resumed ${from} leader stepped down after ${steppedDownAfter?.toFixed(0)} ms only`),
    ...(acquisitions > results.length ? [] : [`${results.length} changes, but only ${acquisitions} acquiring writes`]),
    ...(tokens > 0 ? [] : ['no TypeScript candidate ever led']),
    ...(writes.staleAccepted === 0 ? [] : [`${writes.staleAccepted} stale writes were accepted`]),
    ...(writes.refused > 0 ? [] : ['no stale write was ever tried']),
  ];
}
