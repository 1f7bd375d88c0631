import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { schemaText } from '../schema/schema-text.js';
import { connected } from '../support/connected.js';
import { eventually } from '../support/eventually.js';
import { PROGRAM } from '../support/program-under-test.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { storeUrl } from '../support/store-url.js';
import type { BuiltVersion } from './build-version.js';
import { type Figures, FencedKeeper, Fleet, LeaseKeeper, LeaseWatcher, NAMESPACE, SqlKeeper } from './upgrade-clients.js';

/** What an upgrade is tried with. */
export interface UpgradeOptions {
  /** Which no server uses. */
  readonly databaseUrl: string;
  /** By which servers reach it; default: the same. */
  readonly serversUrl?: string | undefined;
  /** By which a role with a grant reaches it; default: the first. */
  readonly clientsUrl?: string | undefined;
  /** How often each lease is written. */
  readonly periodMs: number;
  /** How long each phase lasts. */
  readonly phaseMs: number;
  /** How many attempts to migrate are killed. */
  readonly kills: number;
  readonly say: (text: string) => void;
}

/** What an upgrade and the way back did to clients. */
export interface UpgradeResult {
  readonly writes: number;
  readonly longestMs: number;
  /** The phase in which the longest wait began. */
  readonly longestIn: string;
  readonly sqlWrites: number;
  readonly longestSqlMs: number;
  /** Transactions under a lease. */
  readonly fencedWrites: number;
  readonly longestFencedMs: number;
  readonly watched: number;
  /** Seconds after the last server of the old version until each held lease had its term. */
  readonly termsAfterS: number;
  /** Milliseconds from the start of the upgrade to the end of each migration. */
  readonly migratedAfterMs: Readonly<Record<string, number>>;
  /** What was lost, missed, doubled or refused. */
  readonly problems: readonly string[];
}

/** Cheap enough to be asked beside the load: how many more leases there are than open terms. */
const LEASES_BEYOND_TERMS = `
  select (select count(*) from objects where resource = 'leases.coordination.k8s.io')::int
       - (select count(*) from lease_term where segment = 0)::int as count`;

const HELD_WITHOUT_TERM = `
  select count(*)::int as count from objects o
  left join lease_term t on t.segment = 0 and t.namespace || '/' || t.lease = o.path
  where o.resource = 'leases.coordination.k8s.io' and coalesce(o.data::json #>> '{spec,holderIdentity}', '') <> ''
    and t.holder is distinct from o.data::json #>> '{spec,holderIdentity}'`;

/**
 * Upgrades two servers of an old version to two of this one on one database, under load, and goes back. Meanwhile a user's transaction and a dump
 * have the tables locked, and the first attempts to migrate are killed.
 */
export async function runUpgrade(old: BuiltVersion, options: UpgradeOptions): Promise<UpgradeResult> {
  const { databaseUrl, serversUrl = databaseUrl, phaseMs, say } = options;
  const phases: { at: number; name: string }[] = [];
  const phase = (name: string) => {
    phases.push({ at: Date.now(), name });
    say(name);
  };
  const fleet = new Fleet();
  const running = new Set<ServerProcess>();
  const add = async (program = PROGRAM) => {
    const server = await startServerProcess({ databaseUrl: serversUrl, program });
    running.add(server);
    fleet.add(server);
    return server;
  };
  const stop = async (server: ServerProcess) => {
    fleet.remove(server);
    await sleep(300); // requests under way
    await server.stop();
    running.delete(server);
  };
  const user = await connected(databaseUrl);
  const problems: string[] = [];
  const keepers = Array.from({ length: 24 }, (_, at) => new LeaseKeeper(fleet, `lease-${at}`, at < 6 ? 5 : 1_000_000));
  const sqlKeepers = Array.from({ length: 2 }, (_, at) => new SqlKeeper(databaseUrl, `sql-${at}`));
  const clientsUrl = (options.clientsUrl ?? databaseUrl).replace(/\/\/[^@]*@/, `//${GRANTEE}:${GRANTEE}@`);
  const fencedKeepers: FencedKeeper[] = [];
  const watchers: LeaseWatcher[] = [];
  const loops: Promise<void>[] = [];
  let stopped = false;
  const loop = async (write: () => Promise<void>) => {
    while (!stopped) {
      const began = Date.now();
      await write();
      await sleep(Math.max(0, options.periodMs - (Date.now() - began)));
    }
  };
  try {
    phase('two servers of the old version');
    const olds = [await add(old.program), await add(old.program)];
    const from = await createNamespace(fleet, olds[0]!);
    await useSchema(user);
    for (const keeper of sqlKeepers) await keeper.open(useSchema);
    fencedKeepers.push(...(await openFencedKeepers(user, clientsUrl)));
    for (const server of olds) watchers.push(new LeaseWatcher(fleet, from, () => (fleet.has(server) ? server : undefined)));
    const watching = watchers.map((watcher) => watcher.run());
    loops.push(...[...keepers, ...sqlKeepers, ...fencedKeepers].map((keeper) => loop(() => keeper.write())));
    await sleep(phaseMs);

    phase('migrators are killed beside an open transaction and a dump');
    await user.query('begin');
    await user.query('select * from lease_terms');
    const dump = await connected(databaseUrl);
    await useSchema(dump);
    await dump.query('begin isolation level repeatable read; select 1');
    await lockAsDump(dump);
    await killMigrators(databaseUrl, options.kills);
    await dump.query('commit');
    await dump.end();
    const ending = sleep(phaseMs).then(() => user.query('commit'));

    phase('two servers of the new version beside those of the old one');
    const upgradedAt = Date.now();
    const news = [await add(), await add()];
    const migratedAfterMs = await endsOfMigrations(user, old, upgradedAt);
    problems.push(...(await judgeSchema(user)));
    for (const server of news) {
      for (const line of server
        .output()
        .split('\n')
        .filter((text) => /warn|migration/i.test(text))) {
        say(line);
      }
    }
    await ending;
    // Another lineage may have begun, of which earlier revisions are no part.
    watchers.push(new LeaseWatcher(fleet, await fleet.newest(news[0]!), () => (fleet.has(news[0]!) ? news[0] : undefined)));
    watching.push(watchers.at(-1)!.run());
    await sleep(phaseMs);

    phase('the servers of the old version are stopped');
    for (const server of olds) await stop(server);
    // PostgreSQL believes for a while that there are no terms, and would look through all of them for each lease
    await user.query('set enable_nestloop = off');
    const count = async (query: string) => (await user.query<{ count: number }>(query)).rows[0]?.count ?? 0;
    const released = sqlKeepers.length;
    const termsAfterS = await secondsUntil(async () => {
      const missing = await count(LEASES_BEYOND_TERMS);
      say(`${missing} leases have no term`);
      return missing <= released && (await count(HELD_WITHOUT_TERM)) === 0;
    });
    await sleep(phaseMs);

    phase('back to the old version');
    stopped = true;
    await Promise.all(loops);
    problems.push(...(await judgeWatches(watchers, keepers)));
    await Promise.all(watching);
    for (const server of news) {
      await stop(server);
    }
    await migrateDown(databaseUrl, user, old);
    const back = await add(old.program);
    problems.push(...(await writeOnce(keepers)));
    await stop(back);

    for (const { problems: found } of [...keepers, ...sqlKeepers, ...fencedKeepers, ...watchers]) problems.push(...found);
    const { longestMs, longestAt } = keepers.map(({ figures }) => figures).reduce(longer);
    return {
      writes: keepers.reduce((sum, { figures }) => sum + figures.writes, 0),
      ...{ longestMs, longestIn: String(phases.findLast(({ at }) => at <= longestAt)?.name) },
      sqlWrites: sqlKeepers.reduce((sum, { figures }) => sum + figures.writes, 0),
      longestSqlMs: sqlKeepers.map(({ figures }) => figures).reduce(longer).longestMs,
      fencedWrites: fencedKeepers.reduce((sum, { figures }) => sum + figures.writes, 0),
      longestFencedMs: fencedKeepers.map(({ figures }) => figures).reduce(longer).longestMs,
      watched: watchers.reduce((sum, { seen }) => sum + seen.length, 0),
      termsAfterS,
      migratedAfterMs,
      problems,
    };
  } finally {
    stopped = true;
    for (const watcher of watchers) watcher.stop();
    await Promise.allSettled(loops);
    for (const server of running) await server.stop();
    for (const keeper of [...sqlKeepers, ...fencedKeepers]) await keeper.close().catch(() => undefined);
    // Another database may still have something of it.
    await user.query(`drop owned by ${GRANTEE} cascade; drop role ${GRANTEE}`).catch(() => undefined);
    await user.end();
    fleet.close();
  }
}

/** Answers its revision. */
async function createNamespace(fleet: Fleet, server: ServerProcess): Promise<string> {
  const { status, text } = await fleet.ask(server, 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  if (status !== 201) throw new Error(`cannot create the namespace: ${text}`);
  return (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

function longer(one: Figures, other: Figures): Figures {
  return other.longestMs > one.longestMs ? other : one;
}

function newestOf(keepers: readonly LeaseKeeper[]): bigint {
  return keepers
    .flatMap(({ acknowledged }) => acknowledged.at(-1)?.revision ?? [])
    .map(BigInt)
    .reduce((one, other) => (other > one ? other : one), 0n);
}

/** Ends the watches once each has seen the last write. */
async function judgeWatches(watchers: readonly LeaseWatcher[], keepers: readonly LeaseKeeper[]): Promise<string[]> {
  const newest = newestOf(keepers);
  const isUpToDate = () => watchers.every(({ seen }) => BigInt(seen.at(-1) ?? 0) >= newest);
  const late = await eventually(isUpToDate).then(
    () => [],
    () => ['a watch has not seen the last write'],
  );
  for (const watcher of watchers) {
    watcher.stop();
  }
  return [...late, ...missedBy(watchers, keepers)];
}

async function writeOnce(keepers: readonly LeaseKeeper[]): Promise<string[]> {
  const failed: string[] = [];
  for (const keeper of keepers) {
    const before = keeper.count;
    await keeper.write();
    if (keeper.count !== before + 1) failed.push(`${keeper.name}: not written after the way back`);
  }
  return failed;
}

/** Each watch sees each acknowledged write. */
function missedBy(watchers: readonly LeaseWatcher[], keepers: readonly LeaseKeeper[]): string[] {
  return watchers.flatMap(({ seen, from }, at) => {
    const known = new Set(seen);
    const due = keepers.flatMap(({ acknowledged }) => acknowledged).filter(({ revision }) => BigInt(revision) > BigInt(from));
    const missed = due.filter(({ revision }) => !known.has(revision));
    return missed.length === 0
      ? []
      : [`watch ${at} has missed ${missed.length} writes, such as ${missed[0]?.name} at ${missed[0]?.revision}`];
  });
}

export const GRANTEE = 'upgraded_grantee';
const TO_GRANTEE = new RegExp(`( --)?, (execute|select|usage) granted to ${GRANTEE}`, 'g');

/** Whether this version lets roles use leases in SQL. */
async function hasGrants(client: pg.Client): Promise<boolean> {
  return (await client.query<{ there: boolean }>(`select to_regproc('lease_grant') is not null as there`)).rows[0]?.there === true;
}

async function useSchema(client: pg.Client): Promise<void> {
  await client.query('set search_path = coordination_tables, coordination');
}

/** Segments, and what an upgrade leaves for servers of the version before. */
const SEGMENTS = /create table (revision_log|lease_term)_[1-9]\d* [^]*?\n\n/g;
const FOR_EARLIER_SERVERS =
  /(-- view (?!leases\(|lease_terms\(|schema_migration\()|CREATE TRIGGER leave_maintenance|-- function leave_maintenance).*\n*/g;

/** Whether the schema, but for its segments, is that of a new database. */
async function judgeSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ major: number }>(`select current_setting('server_version_num')::int / 10000 as major`);
  if (rows[0]?.major !== 18) return [];
  const wanted = readFileSync(new URL('../../migrations/schema.sql', import.meta.url), 'utf8').replace(/^--.*\n\n/, '');
  const found = await schemaText(client);
  const withoutThem = (text: string) => text.replace(SEGMENTS, '').replace(FOR_EARLIER_SERVERS, '').replace(TO_GRANTEE, '');
  return withoutThem(found) === withoutThem(wanted) ? [] : ['the schema is not that of migrations/schema.sql'];
}

/** What pg_dump does first. */
async function lockAsDump(client: pg.Client): Promise<void> {
  await client.query(`do $$ declare t text; begin
    for t in select c.oid::regclass from pg_class c where c.relnamespace in (select oid from pg_namespace where nspname = any (current_schemas(false))) and c.relkind in ('r', 'p')
    loop execute 'lock table ' || t || ' in access share mode'; end loop; end $$`);
}

const MIGRATING = (databaseUrl: string) => ['--database-url', storeUrl(databaseUrl)];

/** At later and later steps. */
async function killMigrators(databaseUrl: string, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await killedMigration(databaseUrl, 300 + (3000 * kill) / kills);
  }
}

async function killedMigration(databaseUrl: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'migrate', 'up', ...MIGRATING(databaseUrl)], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await Promise.race([sleep(afterMs), exited]);
  child.kill('SIGKILL');
  await exited;
}

async function migrateDown(databaseUrl: string, client: pg.Client, { migrations }: BuiltVersion): Promise<void> {
  const later = () => client.query('select from schema_migration where not name = any($1)', [migrations]);
  while ((await later()).rowCount !== 0) await migrate(databaseUrl, PROGRAM, 'down', '--yes');
}

/** Runs a version's `migrate`. */
export async function migrate(databaseUrl: string, program: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [program, 'migrate', ...args, ...MIGRATING(databaseUrl)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`migrate ${args.join(' ')}: ${errors}`);
}

async function endsOfMigrations(client: pg.Client, { migrations }: BuiltVersion, since: number): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; timestamp: string }>(
    'select name, timestamp from schema_migration where not name = any($1) order by name',
    [migrations],
  );
  return Object.fromEntries(rows.map(({ name, timestamp }) => [name, Date.parse(timestamp) - since]));
}

/** Up to two minutes. */
async function secondsUntil(isTrue: () => Promise<boolean>): Promise<number> {
  const start = Date.now();
  while (!(await isTrue()) && Date.now() - start < 120_000) await sleep(2_000);
  return Math.round((Date.now() - start) / 1000);
}

/** None where the old version has no grants. */
async function openFencedKeepers(user: pg.Client, url: string): Promise<FencedKeeper[]> {
  if (!(await hasGrants(user))) return [];
  const leases = ['fenced-0', 'fenced-1'];
  await FencedKeeper.prepare(user, GRANTEE, leases);
  const keepers = leases.map((lease) => new FencedKeeper(url, lease));
  for (const keeper of keepers) await keeper.open();
  return keepers;
}
