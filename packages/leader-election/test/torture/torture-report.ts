import type { ChangeResult } from './contest.js';
import type { Contestant, Kind } from './contestant.js';
import type { WriteFigures } from './fenced-table.js';
import type { LeaseHistory } from './lease-history.js';

export const LEASE_DURATION = 3_000;
export const RENEW_DEADLINE = 2_000;
const RETRY_PERIOD = 500;

/** The time in which a busy machine lets a resumed program run and the line that it prints be read. */
const MARGIN = 5_000;

/**
 * How long a leader that was stopped beyond its lease may still believe that it leads. This package knows at once, by its clock.
 * client-go retries within a retry period, for up to a whole renew deadline.
 */
const STEPS_DOWN_WITHIN: Readonly<Record<Kind, number>> = { typescript: MARGIN, go: RENEW_DEADLINE + RETRY_PERIOD + MARGIN };

export interface TortureReport {
  readonly results: readonly ChangeResult[];
  readonly acquisitions: number;
  readonly violations: readonly string[];
  /** The smallest number of milliseconds between a renewal and the acquisition that followed it. */
  readonly shortestVacancy: Readonly<Record<Kind, number>>;
  /**
   * Tokens given to a TypeScript leader, and those among them that are not the revision of one of its own writes. A term begins with a
   * write that acquires the lease, or that renews it if the lease still names the leader of an earlier term that ended without a release.
   */
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
  const tokens = contestants
    .filter(({ kind }) => kind === 'typescript')
    .flatMap(({ lines }) => lines.filter((line) => line.startsWith('leading ')));
  const facts = {
    results,
    acquisitions: history.acquisitions.length,
    violations: history.violations(LEASE_DURATION),
    shortestVacancy: { go: history.shortestVacancy('go'), typescript: history.shortestVacancy('typescript') },
    tokens: tokens.length,
    wrongTokens: tokens.filter((line) => !isOwnWrite(line, history)),
    writes,
  };
  return { ...facts, failures: failuresOf(facts) };
}

function isOwnWrite(line: string, history: LeaseHistory): boolean {
  const [, holder = '', token = ''] = line.split(' ');
  return history.revisionsOf(holder).includes(BigInt(token));
}

function failuresOf({ results, acquisitions, violations, tokens, wrongTokens, writes }: Omit<TortureReport, 'failures'>): string[] {
  const late = results.filter(
    ({ change, from, steppedDownAfter = 0 }) => change === 'paused' && steppedDownAfter >= STEPS_DOWN_WITHIN[from],
  );
  return [
    ...violations,
    ...wrongTokens.map((line) => `a token of no write of its leader: ${line}`),
    ...late.map(({ from, steppedDownAfter }) => `a resumed ${from} leader stepped down after ${steppedDownAfter?.toFixed(0)} ms only`),
    ...(acquisitions > results.length ? [] : [`${results.length} changes, but only ${acquisitions} acquiring writes`]),
    ...(tokens > 0 ? [] : ['no TypeScript candidate ever led']),
    ...(writes.staleAccepted === 0 ? [] : [`${writes.staleAccepted} stale writes were accepted`]),
    ...(writes.refused > 0 ? [] : ['no stale write was ever tried']),
  ];
}
