import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { DEFAULT_SCHEMA, tablesSchema } from '../../src/storage/database/session/database-schema.js';
import { rowsOf } from './connected.js';
import { SERVER_URL_VARIABLE, storeUrl } from './store-url.js';

/** The database to copy, which has all migrations applied. */
export const TEMPLATE_VARIABLE = 'COORDINATION_TEST_TEMPLATE';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Closes its connections and drops it. */
  drop(): Promise<void>;
}

/** A new, empty database on the run's shared server. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return (await create('template0')).database;
}

/** A new database with all migrations applied; the test's statements find the server's tables by unqualified names. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { name, database } = await create(process.env[TEMPLATE_VARIABLE] ?? 'template0');
  await onServer(`alter database ${name} set search_path = ${tablesSchema(DEFAULT_SCHEMA)}, ${DEFAULT_SCHEMA}, public`);
  return database;
}

async function create(template: string): Promise<{ name: string; database: TestDatabase }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = serverUrl().replace(/^([a-z]+:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
  const { user = '' } = new pg.Client(storeUrl(url));
  await onServer(`create database ${name} template ${template} owner ${pg.escapeIdentifier(user)}`);
  if (ownedUrl(url) !== url && template === 'template0') await rowsOf(url, WITHHOLD);
  const drop = () => onServer(`drop database if exists ${name} with (force)`);
  return { name, database: { url, drop, [Symbol.asyncDispose]: drop } };
}

/** The URL for creating tables: never a pooler's, which would keep connections to a template. */
export function ownedUrl(url: string): string {
  const way = storeUrl(url);
  return new pg.Client(way).user === new pg.Client(url).user ? url : way;
}

/**
 * Revokes functions of the write-ahead log and the control file, which a user of few rights lacks. Rights on functions are per database.
 */
const WITHHOLD = `
  do $$ declare name text; begin
    for name in select oid::regprocedure from pg_proc where proname ~ '^pg_(current_wal|walfile|wal_|last_wal|control_|logical_emit|stat_get_wal)'
    loop execute format('revoke execute on function %s from public', name); end loop;
  end $$`;

/** The run's shared server, through a database that always exists. */
export function serverUrl(): string {
  const url = process.env[SERVER_URL_VARIABLE];
  if (!url) throw new Error('no PostgreSQL for tests: this project needs the global set-up in test/support');
  return url;
}

async function onServer(statement: string): Promise<void> {
  await rowsOf(serverUrl(), statement);
}
