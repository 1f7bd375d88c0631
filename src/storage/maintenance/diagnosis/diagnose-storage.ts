import pg from 'pg';
import type { Database } from '../../database/database.js';
import { sqlStatement } from '../../database/statement/statement.js';
import { atHome } from '../../postgres/lineage/lineage-mark.js';
import { TIMES_WHAT_IS_LEFT } from '../../watch-cache/quota.js';
import type { Diagnosis } from './diagnosis.js';

/** Below this, a revision is a count and not a clock reading (docs/decisions/0018-revisions-after-a-change-of-database.md). */
const FIRST_CLOCK = 1e15;

interface LineageFacts {
  readonly value: number;
  readonly home: boolean;
  readonly began: number;
  readonly lineages: number;
  readonly gaps: number;
  readonly started: Date;
  /** Microseconds on the database's clock. */
  readonly clock: number;
  readonly in_recovery: boolean;
}

const DIAGNOSE_LINEAGE = sqlStatement<LineageFacts, readonly []>(
  'diagnose_lineage',
  `
  select counter.value, ${atHome('counter')} as home, counter.server_started as started, pg_is_in_recovery() as in_recovery,
         (extract(epoch from clock_timestamp()) * 1000000)::bigint as clock,
         coalesce((select max(began) from revision_lineage), 0)::bigint as began,
         (select count(*)::int from revision_lineage) as lineages,
         (select count(*)::int from revision_lineage where ended + 1 < began) as gaps
  from revision_counter counter`,
);

/** The current lineage, where revisions are assigned, and whether the next lineage can rely on the clock. */
export async function diagnoseLineage(database: Database): Promise<Diagnosis[]> {
  const [facts] = await database.query(DIAGNOSE_LINEAGE, []);
  return facts ? [history(facts), place(facts), clockOfRevisions(facts)] : [];
}

function history({ began, lineages, gaps }: LineageFacts): Diagnosis {
  const since = began < FIRST_CLOCK ? '' : `, at about ${timeOf(began)}`;
  const detail = lineages === 0 ? 'none yet: the first server starts one' : `began at revision ${began}${since}`;
  return { check: 'lineage', state: 'ok', detail: `${detail}; gaps in the retained history: ${gaps}` };
}

/** A restarted PostgreSQL is not a problem: the detail says what the next server will do. */
function place({ home, started, in_recovery: standby, lineages }: LineageFacts): Diagnosis {
  const check = 'assigning server';
  // Before the first server, the start of its PostgreSQL is -infinity, which is no Date.
  if (lineages === 0) return { check, state: 'ok', detail: 'nothing has been written yet' };
  const start = `the PostgreSQL that was started at ${started.toISOString()}`;
  if (home) return { check, state: 'ok', detail: `revisions are assigned here, by ${start}` };
  if (standby) return { check, state: 'ok', detail: `revisions are assigned elsewhere, by ${start}` };
  return { check, state: 'ok', detail: `last written by ${start}, restarted or replaced since: the next server starts a new lineage` };
}

function clockOfRevisions({ value, clock }: LineageFacts): Diagnosis {
  const check = 'revisions and clock';
  if (value < FIRST_CLOCK) {
    return { check, state: 'ok', detail: `revision ${value} is below every reading of the clock, as in a new database` };
  }
  const aheadS = (value - clock) / 1e6;
  if (aheadS <= 1) return { check, state: 'ok', detail: `revision ${value} is ${Math.round(-aheadS)} s behind the clock` };
  return {
    check,
    state: 'warning',
    detail: `revision ${value} is ${Math.round(aheadS)} s ahead of the clock, because some clock was ahead; until the clock catches up, each new lineage starts 10^9 revisions further on`,
  };
}

function timeOf(revision: number): string {
  return new Date(revision / 1000).toISOString();
}

/** The limits of the servers; 0: none. */
export interface RoomLimits {
  readonly maxBytes: number;
  readonly maxEventBytes: number;
}

interface Room {
  readonly events: boolean;
  readonly bytes: number;
  readonly namespace: string | null;
  readonly inNamespace: number;
  /** An object of the user who has the most. */
  readonly example: string | null;
  readonly byUser: number;
}

/** What is charged for Events and for other objects, and who has the most of either; as src/storage/watch-cache/state/usage.ts charges it. */
const READ_ROOM = sqlStatement<Room, readonly []>(
  'diagnose_room',
  `
  with charged as materialized (
    select resource = 'events' as events, path, greatest(1024, octet_length(data)) as bytes,
           case when strpos(path, '/') > 0 then split_part(path, '/', 1) end as namespace,
           case when substr(uid, 15, 1) = '8' then left(uid, 13) end as creator
    from objects
  ), namespaces as (
    select distinct on (events) events, namespace, sum(bytes) as bytes
    from charged where namespace is not null group by events, namespace order by events, sum(bytes) desc
  ), creators as (
    select distinct on (events) events, min(path) as example, sum(bytes) as bytes
    from charged where creator is not null group by events, creator order by events, sum(bytes) desc
  )
  select events, sum(c.bytes)::bigint as bytes, n.namespace, coalesce(n.bytes, 0)::bigint as "inNamespace",
         u.example, coalesce(u.bytes, 0)::bigint as "byUser"
  from charged c left join namespaces n using (events) left join creators u using (events)
  group by events, n.namespace, n.bytes, u.example, u.bytes order by events`,
);

const NEARLY_FULL = 0.8;

/** Whether there is room for more objects, and who has the most of it. */
export async function diagnoseRoom(database: Database, limits: RoomLimits): Promise<Diagnosis[]> {
  const rooms = await database.query(READ_ROOM, []);
  return rooms.map((room) =>
    room.events ? roomFor(room, 'Events', limits.maxEventBytes) : roomFor(room, 'objects other than Events', limits.maxBytes),
  );
}

function roomFor({ bytes, namespace, inNamespace, example, byUser }: Room, what: string, most: number): Diagnosis {
  const check = `room for ${what}`;
  if (most === 0) return { check, state: 'ok', detail: `${kib(bytes)} are used, without a limit` };
  const share = Math.max(0, TIMES_WHAT_IS_LEFT * (most - bytes));
  const owners = [
    ...(namespace === null ? [] : [{ name: `namespace ${namespace}`, has: inNamespace }]),
    ...(example === null ? [] : [{ name: `the user who created ${example}`, has: byUser }]),
  ];
  const isFull = bytes > NEARLY_FULL * most || owners.some(({ has }) => has > NEARLY_FULL * share);
  const whose = owners.map(({ name, has }) => `${name} has ${kib(has)}`).join(', ');
  const detail = `${kib(bytes)} of ${kib(most)} are used, and at most ${kib(Math.min(share, most))} by one namespace or user: ${whose}`;
  return { check, state: isFull ? 'warning' : 'ok', detail: owners.length > 0 ? detail : `${kib(bytes)} of ${kib(most)} are used` };
}

function kib(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`;
}

/** Enough for a new file and its log: a full disk may still have room for a row. */
const PROBE_ROWS = 1000;
const PATIENCE_MS = 5_000;

/** Tries a write of a table of its own, and rolls it back: writes fail where reads do not, on a full disk or a standby. */
export async function diagnoseWrites(client: pg.ClientBase, schema: string): Promise<Diagnosis> {
  const check = 'writes';
  const began = performance.now();
  const probe = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(`write_probe_${process.pid}`)}`;
  try {
    await client.query('begin');
    await client.query(`set local statement_timeout = ${PATIENCE_MS}`);
    await client.query(`create table ${probe} (content text)`);
    await client.query(`insert into ${probe} select repeat('x', 1000) from generate_series(1, ${PROBE_ROWS})`);
    return { check, state: 'ok', detail: `a write that was tried and rolled back took ${Math.round(performance.now() - began)} ms` };
  } catch (error) {
    return { check, state: 'problem', detail: `a write that was tried fails: ${(error as Error).message}` };
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}
