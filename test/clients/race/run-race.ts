import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { httpsTransport } from '../../../packages/kube-client/src/https-transport.js';
import { apiAccess } from '../../../packages/leader-election/test/support/api-access.js';
import { LeaseHistory } from '../../../packages/leader-election/test/torture/lease-history.js';
import { eventually } from '../../support/eventually.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { startServerProcess } from '../../support/server-process.js';
import { serverUrl } from '../../support/test-database.js';
import { crashPostgres } from './crash-postgres.js';
import { type Pace, Disturbances } from './disturbances.js';
import { acceptedOf, createFencedTables } from './fenced-tables.js';
import { BEAT_ENTRY } from './framework-programs.js';
import { launchers } from './launchers.js';
import { lastBeliefs } from './last-beliefs.js';
import { versionsOf } from './lease-log.js';
import { termsOf } from './lease-terms.js';
import { openPlaces } from './places.js';
import { type Kind, type Writes, KINDS, RaceContestant, writesOf } from './race-contestant.js';
import { type LeaseEvidence, type RaceReport, raceReport } from './race-report.js';
import { TokenWriters } from './token-writers.js';

export interface RaceOptions {
  readonly leases: number;
  /** How many processes of each kind. */
  readonly processes: Readonly<Partial<Record<Kind, number>>>;
  /** Longer, by a minute at most, if no write was accepted or no stale one refused in that time. */
  readonly seconds: number;
  /** Connections that write under tokens of all terms, past ones above all. */
  readonly writers: number;
  /** How often and for how long contestants are disturbed. */
  readonly pace?: Pace;
  /** Seconds after which all processes of PostgreSQL end at once, again and again; only for a PostgreSQL of its own. */
  readonly crashEvery?: number;
  /** Ends the race early. */
  readonly signal?: AbortSignal;
  /** Called every second; `writes` sums up all lines so far. */
  readonly onSecond?: (second: number, writes: () => Writes) => void;
}

/**
 * Programs of several kinds compete for leases, over HTTP and over SQL through PgBouncer in transaction mode, while they are killed, paused and cut
 * off. Each lease has a table that its trigger fences. Nothing is compacted, so that the log has everything.
 */
export async function runRace(options: RaceOptions): Promise<RaceReport> {
  const leases = Array.from({ length: options.leases }, (_, at) => `race-${at}`);
  await using server = await startServerProcess({ store: 'postgres', flags: ['--compaction-interval=24h'] });
  await using bouncer = await startPgBouncer(serverUrl(), 'transaction');
  // one connection, so that an answer after a crash means that later queries are answered
  const database = new pg.Pool({ connectionString: server.databaseUrl, max: 1 });
  database.on('error', () => undefined); // an idle connection that breaks: the next query opens another
  await createFencedTables(database, leases);
  if (options.processes.celery) await database.query(BEAT_ENTRY);
  const access = await apiAccess(server);
  const histories = leases.map((lease) => new LeaseHistory(httpsTransport(access), lease));
  await Promise.all(histories.map((history) => history.start()));
  const kinds = KINDS.filter((kind) => (options.processes[kind] ?? 0) > 0);
  const launch = await launchers(kinds, { server, access, databaseUrl: bouncer.url(server.databaseUrl) });
  const writers = new TokenWriters(launch.writers(options.writers), leases, database);
  const { places, close } = await openPlaces(leases, options.processes, launch);
  const contestants = places.map((place) => new RaceContestant(place));
  const disturbances = new Disturbances(contestants, () => histories.map(({ last }) => last?.holder ?? ''), options.pace);
  const writes = () => sum([writersOf(contestants), writesOf(writers.lines)]);
  const over = new AbortController();
  try {
    let crashes = 0;
    const started = performance.now();
    const disturbing = disturbances.until(over.signal);
    for (let second = 1; second <= options.seconds || (lacksEvidence(writes()) && second <= options.seconds + 60); second++) {
      await sleep(Math.max(0, started + second * 1000 - performance.now()));
      if (options.signal?.aborted) break;
      if (options.crashEvery && second % options.crashEvery === 0) {
        await crashPostgres(database);
        crashes++;
      }
      await writers.tell();
      for (const contestant of contestants) contestant.revive();
      options.onSecond?.(second, writes);
    }
    over.abort();
    const ended = performance.now();
    await disturbing;
    await rollCall(contestants);
    const disagreements = await lastBeliefs(database, leases, contestants);
    await Promise.all(contestants.map((contestant) => contestant.kill()));
    await writers.stop();
    const evidence: LeaseEvidence[] = [];
    for (const [at, lease] of leases.entries()) {
      const versions = await versionsOf(database, lease);
      const watched = () => histories[at]?.versions.map(({ revision }) => revision) ?? [];
      await eventually(
        () => watched().length >= versions.length,
        () => `the watch of ${lease} has ${watched().length} of ${versions.length} versions`,
      );
      const beliefs = contestants.filter(({ place }) => place.lease === lease).flatMap((contestant) => contestant.beliefs);
      const recorded = await termsOf(database, lease);
      evidence.push({ lease, versions, watched: watched(), recorded, beliefs, accepted: await acceptedOf(database, lease) });
    }
    const seconds = Math.round((ended - started) / 1000);
    const counts = { ...disturbances.counts, 'crashes of PostgreSQL': crashes };
    return raceReport(
      { seconds, processes: contestants.length, kinds, disturbances: counts, writes: writes(), byHolders: writersOf(contestants) },
      evidence,
      disagreements,
    );
  } finally {
    over.abort();
    await Promise.all(contestants.map((contestant) => contestant.kill()));
    await writers.stop();
    await Promise.all(histories.map((history) => history.stop()));
    await close();
    await database.end();
  }
}

/**
 * Killed candidates leave tickets in line. The next one finds all of them dead at most 41 s later: 30 s after the first renewal of its own that
 * follows their last ones. A lease that was held lasts 15 s more, and those that start now take their time.
 */
const ROLL_CALL_MS = 75_000;

/** A kind that has not led, as when all of a short race is spent starting it, must lead when the others are gone. Then all compete again. */
async function rollCall(contestants: readonly RaceContestant[]): Promise<void> {
  for (const kind of KINDS) {
    const own = contestants.filter(({ place }) => place.kind === kind);
    if (own.length === 0 || own.some(({ hasLed }) => hasLed)) continue;
    await Promise.all(contestants.filter(({ place }) => place.kind !== kind).map((other) => other.kill()));
    for (const contestant of own) if (contestant.wasKilled) contestant.start();
    await eventually(
      () => {
        // One that could not reach its server when it started has ended since the race was over.
        for (const contestant of own) contestant.revive();
        return own.some(({ hasLed }) => hasLed);
      },
      () => `no ${kind} candidate leads, even alone:\n${own[0]?.lines.slice(-20).join('\n')}`,
      ROLL_CALL_MS,
    );
  }
  for (const contestant of contestants) if (contestant.wasKilled) contestant.start();
}

const lacksEvidence = ({ committed, stale }: Writes): boolean => committed === 0 || stale === 0;

function writersOf(contestants: readonly RaceContestant[]): Writes {
  return sum(contestants.map(({ lines }) => writesOf(lines)));
}

function sum(parts: readonly Writes[]): Writes {
  const all = (of: (writes: Writes) => number) => parts.reduce((total, part) => total + of(part), 0);
  return { committed: all((part) => part.committed), stale: all((part) => part.stale), unknown: all((part) => part.unknown) };
}
