import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { httpsTransport } from '../../../packages/kube-client/src/https-transport.js';
import { apiAccess } from '../../../packages/leader-election/test/support/api-access.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { startServerProcess } from '../../support/server-process.js';
import { serverUrl } from '../../support/test-database.js';
import { acknowledged } from './acknowledged.js';
import { type Pace, Disturbances } from './disturbances.js';
import { createFencedTables, missingRows } from './fenced-tables.js';
import { BEAT_ENTRY } from './framework-programs.js';
import { gatherEvidence } from './gather-evidence.js';
import { type Kind, KINDS } from './kinds.js';
import { lastBeliefs } from './last-beliefs.js';
import { launchers } from './launchers.js';
import { LeaseHistory } from './lease-history.js';
import { openPlaces } from './places.js';
import { RaceContestant } from './race-contestant.js';
import { type RaceReport, handOversIn, raceReport } from './race-report.js';
import { RecipeTable } from './recipe-table.js';
import { rollCall } from './roll-call.js';
import { TokenWriters } from './token-writers.js';
import { type Writes, writesOf } from './writes-of.js';

/** What happens to PostgreSQL during a race. */
export interface Outages {
  /** A PostgreSQL of its own; default: a database of the tests'. */
  readonly databaseUrl?: string;
  isDue(second: number): boolean;
  /** Resolves when it answers again. */
  happen(database: pg.Pool): Promise<unknown>;
}

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
  readonly outages?: Outages;
  /** Ends the race early. */
  readonly signal?: AbortSignal;
  /** Called every second; `writes` sums up all lines so far. */
  readonly onSecond?: (second: number, writes: () => Writes) => void;
}

/**
 * Programs of several kinds compete for leases, over HTTP and over SQL through PgBouncer in transaction mode, while they are killed, paused, cut
 * off and told to stop. Each lease has a table that its trigger fences. Nothing is compacted, so that the log has everything.
 */
export async function runRace(options: RaceOptions): Promise<RaceReport> {
  const leases = Array.from({ length: options.leases }, (_, at) => `race-${at}`);
  const databaseUrl = options.outages?.databaseUrl;
  const flags = ['--compaction-interval=24h'];
  await using server = await startServerProcess({ store: 'postgres', flags, databaseUrl });
  await using other = await startServerProcess({ flags, databaseUrl: server.databaseUrl });
  await using bouncer = await startPgBouncer(databaseUrl ?? serverUrl(), 'transaction');
  // one connection, so that an answer after a crash means that later queries are answered
  const database = new pg.Pool({ connectionString: server.databaseUrl, max: 1 });
  database.on('error', () => undefined); // an idle connection that breaks: the next query opens another
  await createFencedTables(database, leases);
  if (options.processes.celery) await database.query(BEAT_ENTRY);
  const recipe = new RecipeTable(server.databaseUrl);
  await recipe.create();
  const access = await apiAccess(server);
  const otherTransport = httpsTransport(await apiAccess(other));
  await using followed = new AsyncDisposableStack();
  const histories = leases.map((lease) => followed.use(new LeaseHistory(otherTransport, lease)));
  await Promise.all(histories.map((history) => history.start()));
  const kinds = KINDS.filter((kind) => (options.processes[kind] ?? 0) > 0);
  const launch = await launchers(kinds, { server, access, databaseUrl: bouncer.url(server.databaseUrl) });
  const { places, close } = await openPlaces(leases, options.processes, launch);
  const writers = new TokenWriters(launch.writers(options.writers), leases, database, recipe);
  const contestants = places.map((place) => new RaceContestant(place));
  const disturbances = new Disturbances(contestants, () => histories.map(({ last }) => last?.holder ?? ''), options.pace);
  const over = new AbortController();
  try {
    const disturbing = disturbances.until(over.signal);
    const { seconds, outages } = await compete({ options, contestants, writers, database });
    over.abort();
    await disturbing;
    await rollCall(contestants, outages.at(-1) ?? 0);
    const disagreements = await lastBeliefs(database, leases, contestants);
    await Promise.all(contestants.map((contestant) => contestant.kill()));
    await writers.stop();
    const lines = [...contestants.flatMap((contestant) => contestant.lines), ...writers.lines];
    const run = {
      ...{ seconds, processes: contestants.length, kinds, ofLeaders: disturbances.ofLeaders },
      disturbances: { ...disturbances.counts, 'outages of PostgreSQL': outages.length },
      writes: writesOf(lines),
      byHolders: writesOf(contestants.flatMap((contestant) => contestant.lines)),
      byRecipe: await recipe.figures(),
      errors: errorsOf(lines),
      handOvers: handOversIn(lines),
      lost: await missingRows(database, leases, acknowledged(lines).positions),
    };
    return raceReport(run, await gatherEvidence({ database, other, histories, contestants }), disagreements);
  } finally {
    over.abort();
    await Promise.all(contestants.map((contestant) => contestant.kill()));
    await writers.stop();
    await close();
    await recipe.close();
    await database.end();
  }
}

interface Competition {
  readonly options: RaceOptions;
  readonly contestants: readonly RaceContestant[];
  readonly writers: TokenWriters;
  readonly database: pg.Pool;
}

/** Returns how long it took, and when PostgreSQL was back after each of its outages. */
async function compete({ options, contestants, writers, database }: Competition): Promise<{ seconds: number; outages: number[] }> {
  const outages: number[] = [];
  const started = performance.now();
  const writes = () => writesOf([...contestants.flatMap(({ lines }) => lines), ...writers.lines]);
  for (let second = 1; second <= options.seconds || (lacksEvidence(writes()) && second <= options.seconds + 60); second++) {
    await sleep(Math.max(0, started + second * 1000 - performance.now()));
    if (options.signal?.aborted) break;
    if (options.outages?.isDue(second)) {
      await options.outages.happen(database);
      outages.push(performance.now());
    }
    await writers.tell();
    for (const contestant of contestants) contestant.revive();
    options.onSecond?.(second, writes);
  }
  return { seconds: Math.round((performance.now() - started) / 1000), outages };
}

/** The lines "error MESSAGE". */
function errorsOf(lines: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of lines) if (line.startsWith('error ')) counts[line.slice(6)] = (counts[line.slice(6)] ?? 0) + 1;
  return counts;
}

const lacksEvidence = ({ committed, stale }: Writes): boolean => committed === 0 || stale === 0;
