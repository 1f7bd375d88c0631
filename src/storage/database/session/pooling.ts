import type pg from 'pg';

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
