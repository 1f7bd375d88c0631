import type pg from 'pg';
import type { Logger } from 'pino';
import { type DatabaseFacts, createdByOthers, DATABASE_FACTS, databaseProblem } from '../../database/start/check-database.js';
import { connectDatabase } from '../../database/start/open-database.js';
import type { Database } from '../../database/database.js';
import { runStatement, sqlStatement } from '../../database/statement/statement.js';
import { locateSchema } from '../../database/session/database-schema.js';
import type { DatabaseOptions } from '../../database/session/database-options.js';
import { readSchemaState } from '../../database/migrations/schema-state.js';
import type { FoundHost } from '../../database/hosts/primary-finder.js';
import { startFailure } from '../../database/session/start-failure.js';
import { LOOK_AT_COUNTER, OLDEST_TRANSACTION, WHOSE_OLDEST_TRANSACTION, describeHolder } from '../../database/session/lock-holders.js';
import { type RoomLimits, diagnoseLineage, diagnoseRoom, diagnoseWrites } from './diagnose-storage.js';
import { type ConnectedRole, READ_ROLE } from '../../database/session/connected-role.js';
import type { Diagnosis } from './diagnosis.js';

interface Facts extends DatabaseFacts {
  readonly version_text: string;
  readonly synchronous_commit: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_standby_names: string;
  /** What undoes a synchronous_commit=off or local of this role or database, which no setting of the whole server would. */
  readonly undo_commit: string | null;
  readonly standbys: number;
  readonly connections: number;
  readonly max_connections: number;
  readonly oldest_transaction: number;
  readonly whose: string | null;
  readonly prepared: number;
  readonly skew_ms: number;
}

/** What was found, and as which role. */
export interface DatabaseDiagnosis {
  readonly all: readonly Diagnosis[];
  readonly role: ConnectedRole;
}

const FACTS = sqlStatement<Facts, readonly [schema: string, nowMs: number]>(
  'diagnose_server',
  `
  select ${DATABASE_FACTS}, current_setting('server_version') as version_text,
         (select reset_val from pg_settings where name = 'synchronous_commit') as synchronous_commit,
         (select string_agg(format('alter %s%s reset synchronous_commit', case when s.setrole <> 0 then format('role %I', session_user)
              when s.setdatabase = 0 then 'role all' else '' end,
            case when s.setdatabase <> 0 then case when s.setrole <> 0 then ' in ' else '' end || format('database %I', current_database()) else '' end), '; ')
          from pg_db_role_setting s left join pg_database d on d.oid = s.setdatabase left join pg_roles r on r.oid = s.setrole
          where coalesce(d.datname, current_database()) = current_database() and coalesce(r.rolname, session_user) = session_user
            and exists (select from unnest(s.setconfig) set where set ~* '^synchronous_commit=(off|false|no|0|local)$')) as undo_commit,
         current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
         current_setting('synchronous_standby_names') as synchronous_standby_names,
         (select count(*)::int from pg_stat_replication) as standbys,
         (select count(*)::int from pg_stat_activity) as connections,
         current_setting('max_connections')::int as max_connections,
         (${OLDEST_TRANSACTION.text}) as oldest_transaction, ${WHOSE_OLDEST_TRANSACTION} as whose,
         (select count(*)::int from pg_prepared_xacts where prepared < clock_timestamp() - interval '1 minute') as prepared,
         extract(epoch from clock_timestamp())::float8 * 1000 - $2::float8 as skew_ms`,
);

interface StoreFacts {
  readonly value: number;
  readonly compacted: number;
  readonly held: boolean;
  /** No server has served for longer than it takes until it maintains the log for the first time. */
  readonly begins: boolean;
  readonly spares: number;
  readonly objects: number;
  readonly bytes: number;
}

const DIAGNOSE_STORE = sqlStatement<StoreFacts, readonly []>(
  'diagnose_log',
  `
  select counter.value, compaction.revision as compacted, compaction.held_until > clock_timestamp() as held,
         compaction.held_until = '-infinity' or exists (select from serving_session
           where started > clock_timestamp() - interval '2 minutes') as begins,
         (select count(*)::int from pg_inherits child where child.inhparent = 'revision_log'::regclass and not child.inhdetachpending
          and substring(child.inhrelid::regclass::text from '[0-9]+$')::int > counter.segment) as spares,
         (select count(*)::int from objects) as objects, pg_total_relation_size('objects') as bytes
  from revision_counter counter cross join compaction`,
);

const LONG_TRANSACTION_S = 5;
const SKEW_MS = 2000;

/** Checks the PostgreSQL server. */
async function diagnoseServer(client: pg.ClientBase, schema: string, role: ConnectedRole, now: () => number): Promise<Diagnosis[]> {
  const [facts] = await runStatement(client, FACTS, [schema, now()]);
  if (!facts) throw new Error('PostgreSQL reported no settings');
  // A server would not run as a stranger, and needs no rights of it.
  const problem = databaseProblem(role.stranger ? { ...facts, may_create: true, has_tables_schema: true, stranger: null } : facts);
  return [
    {
      check: 'PostgreSQL',
      state: problem === undefined ? 'ok' : 'problem',
      detail: problem ?? `version ${facts.version_text} at ${(client as pg.Client).host}:${(client as pg.Client).port}`,
    },
    {
      check: 'schema',
      state: 'ok',
      detail: `${facts.schema} of the database ${facts.database}${facts.may_create === null ? ', which the first start creates' : ''}`,
    },
    rights(facts, role),
    durability(facts),
    replication(facts),
    {
      check: 'connections',
      state: facts.connections > 0.8 * facts.max_connections ? 'warning' : 'ok',
      detail: `${facts.connections} of ${facts.max_connections}`,
    },
    transactions(facts),
    {
      check: 'clocks',
      state: Math.abs(facts.skew_ms) > SKEW_MS ? 'warning' : 'ok',
      detail: `the database's clock is ${offset(facts.skew_ms)} this machine's; after a failover, the clock of the new primary is used`,
    },
  ];
}

/** Formats a difference of clocks: `5 ms ahead of`, `5 ms behind`. */
function offset(ms: number): string {
  return `${Math.abs(Math.round(ms))} ms ${ms < 0 ? 'behind' : 'ahead of'}`;
}

/** Checks the server's tables. The schema must exist. */
async function diagnoseStore(database: Database): Promise<Diagnosis[]> {
  const [row] = await database.query(DIAGNOSE_STORE, []);
  if (!row) return [{ check: 'revision counter', state: 'problem', detail: 'the table is empty: restore a backup' }];
  const [holder] = await database.query(LOOK_AT_COUNTER, [null]);
  return [
    ...(holder && holder.seconds !== 0
      ? [{ check: 'revision counter', state: 'warning', detail: `${describeHolder(holder)}: all writes wait` } as const]
      : []),
    { check: 'objects', state: 'ok', detail: `${row.objects} objects, ${Math.round(row.bytes / 1024)} KiB, revision ${row.value}` },
    {
      check: 'revision log',
      state: row.spares > 0 ? 'ok' : 'problem',
      detail: `${row.spares} spare segments; history from revision ${row.compacted}`,
    },
    maintenance(row),
  ];
}

/** A server runs it for the first time seconds after its start, or later if its segments last longer. */
function maintenance({ held, begins }: StoreFacts): Diagnosis {
  const check = 'maintenance';
  if (held) return { check, state: 'ok', detail: 'a server ran it recently' };
  if (begins) return { check, state: 'ok', detail: 'not yet: a server runs it within a minute of its start' };
  return { check, state: 'warning', detail: 'no server ran it recently' };
}

function rights(facts: Facts, { superuser, owner, stranger }: ConnectedRole): Diagnosis {
  const check = 'rights';
  const { user, schema } = facts;
  if (stranger) {
    return { check, state: 'warning', detail: `not checked: the role ${user} is not that of the servers, ${owner}, which owns the schema` };
  }
  const others = createdByOthers(facts);
  if (others) return { check, state: 'warning', detail: others };
  if (superuser) {
    return { check, state: 'warning', detail: `the user ${user} is a superuser: the server needs a role that owns its schema alone` };
  }
  return { check, state: 'ok', detail: `nobody else creates objects in the schema ${schema}` };
}

function durability({ fsync, full_page_writes: pages, synchronous_commit: commit, undo_commit: undo }: Facts): Diagnosis {
  const off = [fsync === 'off' && 'fsync', pages === 'off' && 'full_page_writes', commit === 'off' && 'synchronous_commit'].filter(Boolean);
  if (off.length === 0) return { check: 'durability', state: 'ok', detail: `synchronous_commit is ${commit}` };
  return {
    check: 'durability',
    state: 'problem',
    detail: `${off.join(', ')} off: acknowledged writes can be lost${commit === 'off' && undo ? `: run "${undo}" there` : ''}`,
  };
}

function replication({ standbys, synchronous_standby_names: names, synchronous_commit: commit, undo_commit: undo }: Facts): Diagnosis {
  const check = 'replication';
  if (standbys === 0 && names === '') return { check, state: 'ok', detail: 'no standby is connected' };
  if (standbys === 0) {
    return { check, state: 'warning', detail: `no standby is connected, and writes wait for one of ${names}: start it` };
  }
  if (names === '') {
    return { check, state: 'warning', detail: `${standbys} standbys, none synchronous: a failover can lose acknowledged writes` };
  }
  if (commit === 'local') {
    return {
      check,
      state: 'warning',
      detail: `synchronous_commit is local, so no standby is waited for: a failover can lose acknowledged writes${undo ? `: run "${undo}" there` : ''}`,
    };
  }
  return { check, state: 'ok', detail: `${standbys} standbys, synchronous: ${names}` };
}

/** An old transaction keeps old versions of the counter's row alive, which every write then has to skip. */
function transactions({ oldest_transaction: seconds, whose, prepared }: Facts): Diagnosis {
  const isLong = seconds > LONG_TRANSACTION_S;
  const session = isLong && whose !== null ? ` (${whose})` : '';
  const forgotten = prepared > 0 ? `; ${prepared} prepared transactions are waiting` : '';
  return {
    check: 'long transactions',
    state: isLong || prepared > 0 ? 'warning' : 'ok',
    detail: `the oldest open transaction began ${seconds.toFixed(1)} s ago${session}; long transactions slow down writes${forgotten}`,
  };
}

async function onClient(client: pg.ClientBase, given: string | undefined, now: () => number) {
  const schema = await locateSchema(client, given);
  const [role] = await runStatement(client, READ_ROLE, [schema]);
  if (!role) throw new Error('PostgreSQL reported no role');
  return { server: await diagnoseServer(client, schema, role, now), role, schema };
}

function writes(client: pg.ClientBase, schema: string, { stranger, user, owner }: ConnectedRole): Diagnosis | Promise<Diagnosis> {
  if (!stranger) return diagnoseWrites(client, schema);
  return { check: 'writes', state: 'warning', detail: `not tried: the role ${user} is not that of the servers, ${owner}` };
}

/** Runs all checks. Rejects with a DatabaseStartError if there is no connection. */
export async function diagnose(options: DatabaseOptions & RoomLimits, logger: Logger, now: () => number): Promise<DatabaseDiagnosis> {
  let database: Database | undefined;
  try {
    database = await connectDatabase({ ...options, standby: true }, logger);
    const client = await database.connect('start');
    try {
      const { server, role, schema } = await onClient(client, options.schema, now);
      const migrations = await diagnoseMigrations(database, role);
      const kept = migrations.state === 'ok' ? [...(await diagnoseStored(database, options)), await writes(client, schema, role)] : [];
      return { all: [...hosts(await database.lookAtHosts()), sessions(database), ...server, migrations, ...kept], role };
    } finally {
      await client.end();
    }
  } catch (error) {
    throw startFailure(error, options);
  } finally {
    await database?.close();
  }
}

async function diagnoseStored(database: Database, limits: RoomLimits): Promise<Diagnosis[]> {
  return [...(await diagnoseStore(database)), ...(await diagnoseRoom(database, limits)), ...(await diagnoseLineage(database))];
}

/** Reported only for several hosts. An unreachable host fails to connect by itself. */
function hosts(found: readonly FoundHost[]): Diagnosis[] {
  if (found.length === 1) return [];
  const primaries = found.filter(({ state }) => state === 'primary').length;
  const detail = found.map(({ address, state }) => `${address} ${state}`).join(', ');
  if (primaries > 1) return [{ check: 'hosts', state: 'problem', detail: `${detail}: fence the old primary` }];
  const away = primaries === 0 || found.some(({ state }) => state === 'unreachable');
  return [{ check: 'hosts', state: away ? 'warning' : 'ok', detail }];
}

function sessions({ keepsSessions }: Database): Diagnosis {
  const check = 'sessions';
  if (keepsSessions) return { check, state: 'ok', detail: 'each connection is one PostgreSQL session' };
  return { check, state: 'warning', detail: 'a transaction pooler: changes of other servers are found by polling' };
}

async function diagnoseMigrations(database: Database, { user, may_use: mayUse }: ConnectedRole): Promise<Diagnosis> {
  if (mayUse === false) {
    return { check: 'migrations', state: 'warning', detail: `not checked: the role ${user} may not use the schema` };
  }
  const { applied, pending, unknown } = await readSchemaState(database);
  const check = 'migrations';
  if (unknown.length > 0) return { check, state: 'problem', detail: `${unknown.join(', ')} from a newer version: use that version` };
  if (pending.length > 0) {
    return {
      check,
      state: 'warning',
      detail: `${pending.join(', ')} pending: the next start applies them, or "migrate up" with the same settings`,
    };
  }
  return { check, state: 'ok', detail: `all ${applied.length} applied` };
}
