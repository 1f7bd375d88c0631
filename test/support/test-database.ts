import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { DEFAULT_SCHEMA } from '../../src/storage/database/database-schema.js';

/** Where the workers find the server that the run shares. */
export const SERVER_URL_VARIABLE = 'COORDINATION_TEST_SERVER';

/** The database to copy: one with all migrations applied. */
export const TEMPLATE_VARIABLE = 'COORDINATION_TEST_TEMPLATE';

export interface TestDatabase {
  readonly url: string;
  /** Ends its connections and removes it. */
  drop(): Promise<void>;
}

/** A new database on the server that the run shares, empty of everything. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return (await create('template0')).database;
}

/** A new database with all migrations applied, in which statements of a test find the server's tables by their names alone. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { name, database } = await create(process.env[TEMPLATE_VARIABLE] ?? 'template0');
  await onServer(`alter database ${name} set search_path = ${DEFAULT_SCHEMA}, public`);
  return database;
}

async function create(template: string): Promise<{ name: string; database: TestDatabase }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name} template ${template}`);
  const url = serverUrl().replace(/^([a-z]+:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
  return { name, database: { url, drop: () => onServer(`drop database if exists ${name} with (force)`) } };
}

/** The server that the run shares, by a database that always exists. */
export function serverUrl(): string {
  const url = process.env[SERVER_URL_VARIABLE];
  if (!url) throw new Error('no PostgreSQL for tests: this project needs the global set-up in test/support');
  return url;
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
