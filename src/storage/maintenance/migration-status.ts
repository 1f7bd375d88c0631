import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { revertDatabase } from '../database/migrations/migrate-database.js';
import { SqlMigrations, readSchemaState } from '../database/migrations/schema-state.js';
import type { DatabaseOptions } from '../database/session/database-options.js';
import { DatabaseStartError } from '../database/session/database-start-error.js';
import { LIST_LOCK_HOLDERS, describeHolder } from '../database/session/lock-holders.js';
import { LIST_SERVED_SCHEMAS, countServing } from '../database/session/session-settings.js';
import { startFailure } from '../database/session/start-failure.js';
import { connectDatabase, openDatabase } from '../database/start/open-database.js';
import { sqlStatement } from '../database/statement/statement.js';

/** `unknown`: applied by a newer version of the program, which makes this version unusable with the database. */
type MigrationState = 'applied' | 'pending' | 'unknown';

/** A migration and its state in the database. */
export interface MigrationStatus {
  readonly name: string;
  readonly state: MigrationState;
  /** What a pending migration locks of what exists, briefly: only PostgreSQL's catalogue is changed meanwhile. */
  readonly locks?: readonly LockedRelation[];
  /** Transactions that it would wait for now, in a line each. */
  readonly waitsFor?: readonly string[];
}

interface LockedRelation {
  readonly relation: string;
  /** As of the last ANALYZE; null for a view. */
  readonly rows: number | null;
  readonly bytes: number | null;
}

const LIST_SIZES = sqlStatement<LockedRelation, readonly [readonly string[]]>(
  'list_sizes',
  `
  select c.relname::text as relation,
         case when c.relkind <> 'v' then sum(greatest(part.reltuples, 0))::bigint end as rows,
         case when c.relkind <> 'v' then sum(pg_total_relation_size(part.oid))::bigint end as bytes
  from pg_class c join pg_class part on part.oid = c.oid or part.oid in (select inhrelid from pg_inherits where inhparent = c.oid)
  where pg_table_is_visible(c.oid) and c.relnamespace in (select oid from pg_namespace where nspname = any (current_schemas(false))) and c.relname = any ($1)
  group by c.oid, c.relname, c.relkind order by array_position($1, c.relname::text)`,
);

/** Lists every migration that the program or the database knows, in order, without changing anything. Rejects with a DatabaseStartError. */
export async function readMigrationStatus(options: DatabaseOptions, logger: Logger): Promise<MigrationStatus[]> {
  let database: Database | undefined;
  try {
    database = await connectDatabase({ ...options, standby: true }, logger);
    const { applied, pending, unknown } = await readSchemaState(database);
    const status: MigrationStatus[] = applied.map((name) => ({ name, state: 'applied' }));
    for (const name of pending) status.push({ name, state: 'pending', ...(await whatItLocks(database, name)) });
    return [...status, ...unknown.map((name) => ({ name, state: 'unknown' as const }))];
  } catch (error) {
    throw startFailure(error, options);
  } finally {
    await database?.close();
  }
}

async function whatItLocks(database: Database, name: string): Promise<Pick<MigrationStatus, 'locks' | 'waitsFor'>> {
  const relations = new SqlMigrations().locks(name);
  const locks = await database.query(LIST_SIZES, [relations]);
  if (locks.length === 0) return {};
  const holders = await database.query(LIST_LOCK_HOLDERS, [relations, null]);
  return { locks, ...(holders.length > 0 ? { waitsFor: holders.map(describeHolder) } : {}) };
}

/** Migrates the schema to this program's version, as the server does at start. Rejects with a DatabaseStartError. */
export async function applyMigrations(options: DatabaseOptions, logger: Logger): Promise<void> {
  const database = await openDatabase(options, logger);
  await database.close();
}

/** Reverts the newest migration. `warn` receives, in one line, what could not be checked. Rejects with a DatabaseStartError. */
export async function revertNewest(options: DatabaseOptions, logger: Logger, warn: (text: string) => void): Promise<void> {
  let database: Database | undefined;
  try {
    database = await connectDatabase(options, logger);
    const served = await whoServes(database);
    if (served.by === 'servers') throw new DatabaseStartError(served.why);
    if (served.by === 'unknown') warn(CANNOT_TELL);
    await revertDatabase(database, { onWait: warn });
  } catch (error) {
    throw startFailure(error, options);
  } finally {
    await database?.close();
  }
}

/**
 * Whether servers use the schema; `unknown` if they, or the command, are behind a pooler in transaction mode. `why` is the refusal, in one
 * line.
 */
export type Served = { readonly by: 'nobody' | 'unknown' } | { readonly by: 'servers'; readonly why: string };

/** Finds out whether servers use the schema, before a command changes it behind their backs. */
export async function whoServes(database: Database): Promise<Served> {
  if (!database.keepsSessions) return { by: 'unknown' };
  const [row] = await database.query(countServing(await database.query(LIST_SERVED_SCHEMAS, [])), []);
  const { count, unclear } = row ?? { count: 0, unclear: 0 };
  if (count === 0) return { by: unclear > 0 ? 'unknown' : 'nobody' };
  return { by: 'servers', why: `servers are using this schema (${count} sessions are open): stop them all first` };
}

/** The warning for the case that servers cannot be detected. */
export const CANNOT_TELL =
  'behind a transaction pooler, the servers that use this schema cannot be detected: make sure that all of them are stopped';
