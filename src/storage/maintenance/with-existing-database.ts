import { isFileFailure } from '../../settings/given-files.js';
import { PROGRAM_CALL } from '../../settings/program-call.js';
import pg from 'pg';
import type { Logger } from 'pino';
import { connectDatabase } from '../database/start/open-database.js';
import type { Database } from '../database/database.js';
import type { DatabaseOptions } from '../database/session/database-options.js';
import { tablesSchema } from '../database/session/database-schema.js';
import { DatabaseStartError } from '../database/session/database-start-error.js';
import { startFailure } from '../database/session/start-failure.js';
import { AGAINST_MIGRATIONS, describeHolder, LIST_LOCK_HOLDERS } from '../database/session/lock-holders.js';
import { isLockTimeout } from '../database/session/pg-errors.js';
import { sqlStatement } from '../database/statement/statement.js';
import { readSchemaState, refuseNewer } from '../database/migrations/schema-state.js';
import { StorageError } from '../storage-errors.js';

/** Commands read everything at once. */
const COMMAND_TIMEOUT_MS = 600_000;

/**
 * Runs work on a database that already has this program's schema; never migrates. Rejects with a DatabaseStartError if the database is
 * unusable.
 */
export async function withExistingDatabase<T>(
  options: DatabaseOptions,
  logger: Logger,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  let database: Database | undefined;
  try {
    database = await connectDatabase({ ...options, standby: true, readTimeoutMs: COMMAND_TIMEOUT_MS }, logger);
    await requireSchema(database);
    return await work(database);
  } catch (error) {
    const isUnconnected = database === undefined;
    if (database !== undefined && isLockTimeout(toCause(error))) throw await lockedBy(database, options, error);
    throw isUnconnected ||
      error instanceof StorageError ||
      error instanceof pg.DatabaseError ||
      ('code' in (error as Error) && !isFileFailure(error))
      ? startFailure(error, options)
      : error;
  } finally {
    await database?.close();
  }
}

function toCause(error: unknown): unknown {
  return error instanceof StorageError ? error.cause : error;
}

/** Names who has locked what the work needs, as far as the role may see it. */
async function lockedBy(database: Database, options: DatabaseOptions, error: unknown): Promise<DatabaseStartError> {
  const { message } = startFailure(error, options);
  const holders = await database.query(LIST_LOCK_HOLDERS, [null, AGAINST_MIGRATIONS]).catch(() => []);
  const pid = holders[0]?.pid;
  const remedy = pid === null || pid === undefined ? '' : `: end it, "select pg_terminate_backend(${pid})" does, and try again`;
  return new DatabaseStartError([message, ...holders.map(describeHolder)].join('; ') + remedy, { cause: error });
}

async function requireSchema(database: Database): Promise<void> {
  const { applied, pending, isReplaced } = refuseNewer(await readSchemaState(database));
  if (applied.length === 0 && !isReplaced) throw new DatabaseStartError(await whyNoSchema(database));
  if (pending.length > 0) {
    throw new DatabaseStartError(
      `the database lacks the migration ${pending.join(', ')}: run "${PROGRAM_CALL} migrate up" first, with the same settings, or start a server, which applies it; a backup before that is made by the version that served it`,
    );
  }
}

/** What `verify` calls, as docs/operations.md has it. */
const READING_FUNCTIONS = [
  'lease_term_object',
  'lease_term_head',
  'lease_term_status_of',
  'lease_string',
  'lease_micro_time',
  'lease_whole_time',
];

/** Which of the schemas, as far as there are any, the role may not use. */
const READ_USAGE = sqlStatement<
  { role: string; schema: string; tables: string; forbidden: string[] | null },
  readonly [schemas: readonly [schema: string, tables: string]]
>(
  'read_usage',
  `select quote_ident(current_user) as role, quote_ident(($1::text[])[1]) as schema, quote_ident(($1::text[])[2]) as tables,
     array_agg(quote_ident(nspname) order by array_position($1, nspname::text))
     filter (where not has_schema_privilege(oid, 'usage')) as forbidden
   from pg_namespace where nspname = any ($1::text[])`,
);

async function whyNoSchema(database: Database): Promise<string> {
  const [found] = await database.query(READ_USAGE, [[database.schema, tablesSchema(database.schema)]]);
  if (!found?.forbidden) {
    return `the database has no tables of this server: run "${PROGRAM_CALL} migrate up" first, with the same settings, or start a server, which creates them`;
  }
  const { role, schema, tables, forbidden } = found;
  const schemas = [...new Set([schema, ...forbidden])].join(', ');
  const functions = READING_FUNCTIONS.map((name) => `${schema}.${name}`).join(', ');
  return `the role ${role} has no right to use the schema ${forbidden.join(' and ')}: grant usage on schema ${schemas} to ${role}; grant select on all tables in schema ${tables} to ${role}; grant execute on function ${functions} to ${role};`;
}
