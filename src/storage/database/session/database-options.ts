import type pg from 'pg';
import type { Tracing } from '../../../telemetry/tracing/tracing.js';

/** How to reach the database. Without a URL, the PG* environment variables and their defaults apply, as with psql. */
export interface DatabaseOptions {
  readonly url?: string;
  /** File with the password, which is read for each new connection; if empty or absent, that of the URL or of PGPASSWORD is used. */
  readonly passwordFile?: string | undefined;
  /** Schema of the server's tables; if empty or absent, `locateSchema` finds it. */
  readonly schema?: string | undefined;
  readonly connectTimeoutMs?: number;
  /** How long a read may take, unless it is of an earlier revision, and how long a connection may be silent. */
  readonly readTimeoutMs?: number;
  /** `transaction` behind a pooler that gives each transaction another session; nothing is then kept in a session. Default: `auto`. */
  readonly pooling?: Pooling;
  /** Whether a standby is acceptable, because nothing is written and stale data is fine. */
  readonly standby?: boolean;
  readonly tracing?: Tracing | undefined;
  /** A file in which is noted which installation is served. Where it names one, a start makes no other. */
  readonly installationFile?: string | undefined;
  /** The installation in the tables that are served, once it is known: no other one is served by this process. */
  readonly installation?: string;
}

/** Defaults of DatabaseOptions. */
export const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;
export const DEFAULT_READ_TIMEOUT_MS = 5_000;

/** The values of `--database-pooling`. */
export const POOLING = ['auto', 'session', 'transaction'] as const;

/**
 * What a connection leads to: a PostgreSQL session, or a pooler that gives each transaction another session, as PgBouncer does in
 * transaction mode. `auto` detects which.
 */
export type Pooling = (typeof POOLING)[number];

/** Each round detects a pooler unless another of its clients takes or returns a session at that moment. */
const ROUNDS = 5;
const PROCESS = 'select pg_backend_pid() as pid';

/** Detects the mode with a connection, and another one, which `connect` opens, if there is a pooler. Rejects with the error of either. */
export async function detectPooling(one: pg.Client, connect: () => Promise<pg.Client>): Promise<Exclude<Pooling, 'auto'>> {
  // A pooler invents the process id that it reports to its clients.
  if ((await processOf(one)) === (one as { processID?: number }).processID) return 'session';
  const other = await connect();
  try {
    for (let round = 0; round < ROUNDS; round++) if (await shareSessions(one, other)) return 'transaction';
    return 'session';
  } finally {
    await other.end();
  }
}

/** Whether a session moved from one of two connections to the other, or one connection changed sessions. */
async function shareSessions(one: pg.Client, other: pg.Client): Promise<boolean> {
  const before = await processOf(one);
  await other.query('begin');
  // Queried first: a pooler with a single session has none left for the other query.
  const taken = await processOf(other);
  const shared = taken === before || (await processOf(one)) !== before;
  await other.query('commit');
  return shared;
}

async function processOf(client: pg.Client): Promise<number | undefined> {
  return (await client.query<{ pid: number }>(PROCESS)).rows[0]?.pid;
}
