import type { WriteFigures } from '../../packages/leader-election/test/torture/fenced-table.js';
import { ELECTION_TIMES } from './clients/election-times.js';
import type { Recorder } from './clients/recorder.js';
import { lostWrites } from './checks/lost-writes.js';
import { objectTrees } from './checks/object-tree.js';
import { falselyReady } from './checks/readiness.js';
import { overlaps, reignViolations } from './checks/reigns.js';
import { repeatedRevisions, revisionsGoneBack } from './checks/revisions.js';
import { staleReads } from './checks/stale-reads.js';
import { watchGaps } from './checks/watch-gaps.js';
import { longestGap, percentile } from './figures.js';
import type { Reign, Sighting, Violation } from './history.js';

/** A fault, or two at a time, and what became of them. */
export interface Round {
  readonly number: number;
  readonly faults: string;
  readonly from: number;
  readonly until: number;
  /** Whether another node was the primary in the end. */
  readonly failedOver: boolean;
}

export interface Evidence {
  readonly synchronous: boolean;
  readonly rounds: readonly Round[];
  readonly recorder: Recorder;
  readonly reigns: readonly Reign[];
  readonly final: ReadonlyMap<string, Sighting>;
  readonly fence: WriteFigures;
  /** Found while it ran. */
  readonly violations: readonly Violation[];
}

export interface Report {
  readonly failovers: number;
  readonly figures: Readonly<Record<string, number>>;
  /** Acknowledged writes that an asynchronous failover lost: counted, not a violation. */
  readonly lostWrites: number;
  readonly violations: readonly Violation[];
}

/** A second for a loaded machine on top of what a holder may need. */
const LEARNS_WITHIN_MS = (ELECTION_TIMES.renew + 2 * ELECTION_TIMES.retry + 1) * 1000;

/** What a run has shown. */
export function failoverReport(evidence: Evidence): Report {
  const { synchronous, rounds, recorder, reigns, final, fence } = evidence;
  const { writes, reads, watches, readiness, refusals } = recorder;
  const trees = objectTrees(writes, final);
  const lost = lostWrites(trees.values());
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
    ...staleReads(reads, trees),
    ...watches.flatMap((log) => watchGaps(log)),
    ...reignViolations(reigns, { synchronous, learnsWithinMs: LEARNS_WITHIN_MS }),
    ...falselyReady(writes, readiness),
    ...refused,
    ...(synchronous ? lost : []),
    ...(fence.staleAccepted > 0 ? [{ kind: 'stale fenced write', at: 0, text: `${fence.staleAccepted} were accepted` }] : []),
    ...evidence.violations,
  ];
  return {
    failovers: rounds.filter(({ failedOver }) => failedOver).length,
    figures: { ...trafficFigures(evidence), ...outageFigures(rounds, recorder) },
    lostWrites: lost.length,
    violations: violations.sort((a, b) => a.at - b.at),
  };
}

function trafficFigures({ recorder: { writes, reads, watches, refusals }, reigns, fence }: Evidence): Record<string, number> {
  const outcome = (name: string) => writes.filter((write) => write.outcome === name).length;
  const entries = (kind: string) => watches.flatMap((log) => log.entries).filter((entry) => entry.kind === kind).length;
  const overlapping = overlaps(reigns);
  return {
    acknowledged: outcome('acknowledged'),
    refused: outcome('refused'),
    unclear: outcome('unclear'),
    wronglyRefused: refusals.length,
    consistentReads: reads.length,
    events: entries('event'),
    relists: entries('expired'),
    reigns: reigns.length,
    overlaps: overlapping.length,
    longestOverlapMs: Math.round(Math.max(0, ...overlapping.map(({ ms }) => ms))),
    fencedWrites: fence.accepted,
    staleFencedWritesRefused: fence.refused,
  };
}

/** Of rounds that changed the primary: the longest time without a write, through the servers and at PostgreSQL itself. */
function outageFigures(rounds: readonly Round[], { writes, databaseWrites }: Recorder): Record<string, number> {
  const failovers = rounds.filter(({ failedOver }) => failedOver);
  const acknowledged = writes
    .filter(({ outcome }) => outcome === 'acknowledged')
    .map(({ answeredAt }) => answeredAt)
    .sort((a, b) => a - b);
  const gaps = (successes: readonly number[]) => failovers.map(({ from, until }) => longestGap(successes, from, until));
  const [served, database] = [gaps(acknowledged), gaps(databaseWrites)];
  return {
    outageP50Ms: percentile(served, 0.5),
    outageP99Ms: percentile(served, 0.99),
    databaseOutageP50Ms: percentile(database, 0.5),
    databaseOutageP99Ms: percentile(database, 0.99),
  };
}

/** The round in which something happened, for people. */
export function roundOf(rounds: readonly Round[], at: number): string {
  const round = rounds.findLast(({ from }) => from <= at);
  return round ? `round ${round.number} (${round.faults})` : 'before the first round';
}
