import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PGBOUNCER, whyNot } from '../clients/toolchain.js';
import { rowsOf } from '../support/connected.js';
import { type PoolMode, startPgBouncer } from '../support/pgbouncer.js';
import { PROGRAMS_VARIABLE, startPostgres } from '../support/postgres-under-test.js';
import { FLAGS_VARIABLE } from '../support/server-process.js';
import { LISTEN_VARIABLE, POOLER_VARIABLE, STORE_URL_VARIABLE } from '../support/store-url.js';
import { postgresPrograms } from './postgres-programs.js';

type Variables = Readonly<Record<string, string>>;

/** A database environment found in production: a version of PostgreSQL, or a way of connecting to it. */
export interface Environment {
  readonly name: string;
  /** The reason why it is not available here; undefined if it is. */
  readonly whyNot?: () => string | undefined;
  /** Runs the suites with the environment variables that locate the database. */
  readonly within: <T>(run: (variables: Variables) => Promise<T>) => Promise<T>;
}

export const ENVIRONMENTS: readonly Environment[] = [
  ...[14, 15, 16, 17, 18].map((major): Environment => ({
    name: String(major),
    within: (run) => run({ [PROGRAMS_VARIABLE]: postgresPrograms(major) }),
  })),
  { name: 'listen-off', within: (run) => run({ [LISTEN_VARIABLE]: 'off', [FLAGS_VARIABLE]: '--database-pooling=transaction' }) },
  ...(['session', 'transaction'] as const).map((mode): Environment => ({
    name: `pgbouncer-${mode}`,
    whyNot: () => whyNot(PGBOUNCER),
    within: (run) => withPostgres((url) => behindPgBouncer(url, mode, run)),
  })),
  { name: 'few-rights', within: (run) => withPostgres((url) => asPlainUser(url, run)) },
];

async function withPostgres<T>(work: (url: string) => Promise<T>): Promise<T> {
  using dir = mkdtempDisposableSync(path.join(tmpdir(), 'databases-'));
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '128MB' };
  await using postgres = await startPostgres({ dir: dir.path, settings });
  return await work(postgres.url());
}

async function behindPgBouncer<T>(url: string, mode: PoolMode, run: (variables: Variables) => Promise<T>): Promise<T> {
  await using bouncer = await startPgBouncer(url, mode);
  return await run({ TEST_DATABASE_URL: url, [STORE_URL_VARIABLE]: bouncer.url(url), [POOLER_VARIABLE]: mode });
}

/** The user owns the databases and has no other rights; functions of the write-ahead log are not granted to it (test-database.ts). */
async function asPlainUser<T>(url: string, run: (variables: Variables) => Promise<T>): Promise<T> {
  const password = randomBytes(12).toString('hex');
  await rowsOf(url, `create role plain login password '${password}' nosuperuser nocreatedb nocreaterole noreplication`);
  return run({ TEST_DATABASE_URL: url, [STORE_URL_VARIABLE]: url.replace(/\/\/[^@]*@/, `//plain:${password}@`) });
}
