import type { WriteFigures } from '../clients/race/recipe-table.js';
import { ELECTION_TIMES } from './clients/election-times.js';
import type { Recorder } from './clients/recorder.js';
import { lostWrites } from './checks/lost-writes.js';
import { objectTrees } from './checks/object-tree.js';
import { falselyReady } from './checks/readiness.js';
import { overlaps, reignViolations } from './checks/reigns.js';
import { repeatedRevisions, revisionsGoneBack } from './checks/revisions.js';
import { splits } from './checks/split-brain.js';
import { staleReads } from './checks/stale-reads.js';
import { watchGaps } from './checks/watch-gaps.js';
import { longestGap } from './longest-gap.js';
import type { Reign } from '../clients/race/reigns-of.js';
import type { Sighting, Violation } from './history.js';

/** A fault, or two concurrent ones, with the result. */
export interface Round {
  readonly number: number;
  readonly faults: string;
  readonly from: number;
  readonly until: number;
  /** Whether another node was the primary at the end. */
  readonly failedOver: boolean;
}

export interface Evidence {
  readonly seed: number;
  readonly synchronous: boolean;
  readonly rounds: readonly Round[];
  readonly recorder: Recorder;
  readonly reigns: readonly Reign[];
  /** The final state shown by the servers; undefined if the run was cut short, in which case lost writes and stale reads are unknown. */
  readonly final: ReadonlyMap<string, Sighting> | undefined;
  readonly fence: WriteFigures;
  /** Violations found during the run. */
  readonly violations: readonly Violation[];
}

/** The results of a run, or the sum of several runs. */
export interface Report {
  readonly rounds: number;
  readonly failovers: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Durations of each overlap of two holders of the lease, in milliseconds. */
  readonly overlapsMs: readonly number[];
  /** Per failover, the longest time without a write through the servers, in milliseconds. */
  readonly outagesMs: readonly number[];
  /** The same for writes to PostgreSQL directly. */
  readonly databaseOutagesMs: readonly number[];
  readonly violations: readonly PlacedViolation[];
}

/** A violation with the text of its run and round. */
export interface PlacedViolation extends Violation {
  readonly place: string;
}

/** Violations this close to a period with two primaries are attributed to it. */
const SPLIT_MS = 2_000;

/** The time a holder may need, plus a second for a loaded machine. */
const LEARNS_WITHIN_MS = (ELECTION_TIMES.renew + 2 * ELECTION_TIMES.retry + 1) * 1000;

/** Computes the report of a run. */
export function failoverReport(evidence: Evidence): Report {
  const { synchronous, rounds, recorder, reigns, final, fence } = evidence;
  const { writes, reads, watches, readiness, refusals } = recorder;
  const trees = final && objectTrees(writes, final);
  const lost = trees ? lostWrites(trees.values()) : [];
  const refused = refusals
    .filter(({ inARow }) => inARow === 3)
    .map(({ at, server, key }) => ({
      kind: 'rightful write refused',
      at,
      text: `409 three times through server ${server} for ${key}, which did not change`,
    }));
  const violations = [
    ...repeatedRevisions(writes, reads, watches),
    ...revisionsGoneBack(writes),
    ...(trees ? staleReads(reads, trees) : []),
    ...watches.flatMap((log) => watchGaps(log)),
    ...reignViolations(reigns, { synchronous, learnsWithinMs: LEARNS_WITHIN_MS }),
    ...falselyReady(writes, readiness),
    ...refused,
    ...(synchronous ? lost : []),
    ...(fence.staleAccepted > 0 ? [{ kind: 'stale fenced write', at: 0, text: `${fence.staleAccepted} were accepted` }] : []),
    ...evidence.violations,
  ];
  const failovers = rounds.filter(({ failedOver }) => failedOver);
  const acknowledged = writes.filter(({ outcome }) => outcome === 'acknowledged').map(({ answeredAt }) => answeredAt);
  const outages = (successes: readonly number[]) => failovers.map(({ from, until }) => Math.round(longestGap(successes, from, until)));
  return {
    rounds: rounds.length,
    failovers: failovers.length,
    counts: { ...trafficCounts(evidence), lostWrites: lost.length },
    overlapsMs: overlaps(reigns).map(({ ms }) => Math.round(ms)),
    outagesMs: outages(acknowledged.sort((a, b) => a - b)),
    databaseOutagesMs: outages(recorder.databaseWrites),
    violations: violations.sort((a, b) => a.at - b.at).map((each) => ({ ...each, place: placeOf(evidence, each.at) })),
  };
}

function trafficCounts({ recorder: { writes, reads, watches, refusals, primaries }, reigns, fence }: Evidence): Record<string, number> {
  const outcome = (name: string) => writes.filter((write) => write.outcome === name).length;
  const entries = (kind: string) => watches.flatMap((log) => log.entries).filter((entry) => entry.kind === kind).length;
  return {
    acknowledged: outcome('acknowledged'),
    refused: outcome('refused'),
    unclear: outcome('unclear'),
    wronglyRefused: refusals.length,
    consistentReads: reads.length,
    events: entries('event'),
    relists: entries('expired'),
    reigns: reigns.length,
    fencedWrites: fence.accepted,
    staleFencedWritesRefused: fence.refused,
    msWithTwoPrimaries: splits(primaries).reduce((sum, { from, until }) => sum + Math.round(until - from), 0),
  };
}

function placeOf({ seed, rounds, recorder }: Evidence, at: number): string {
  const round = rounds.findLast(({ from }) => from <= at);
  const split = splits(recorder.primaries).find(({ from, until }) => from < at + SPLIT_MS && until > at - SPLIT_MS);
  const place = round ? `round ${round.number} (${round.faults})` : 'before the first round';
  return `seed ${seed}, ${place}${split ? `, while ${split.nodes.join(' and ')} were both primaries` : ''}`;
}
