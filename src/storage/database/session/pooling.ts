import type pg from 'pg';

/** The values of `--database-pooling`. */
export const POOLING = ['auto', 'session', 'transaction'] as const;

/**
 * What a connection is: a session of PostgreSQL, or the way to a pooler that gives each transaction another session, as PgBouncer does in
 * transaction mode. `auto`: it is found out.
 */
export type Pooling = (typeof POOLING)[number];

/** Each round finds a pooler out unless another client of it takes or returns a session just then. */
const ROUNDS = 5;
const PROCESS = 'select pg_backend_pid() as pid';

/** Finds out by two connections. `connect` opens one. */
export async function detectPooling(connect: () => Promise<pg.Client>): Promise<Exclude<Pooling, 'auto'>> {
  const one = await connect();
  try {
    // a pooler makes up the process that it tells its clients
    if ((await processOf(one)) === (one as { processID?: number }).processID) return 'session';
    const other = await connect();
    try {
      for (let round = 0; round < ROUNDS; round++) if (await shareSessions(one, other)) return 'transaction';
      return 'session';
    } finally {
      await other.end();
    }
  } finally {
    await one.end();
  }
}

/** Whether a session went from one of two connections to the other, or from one to another session. */
async function shareSessions(one: pg.Client, other: pg.Client): Promise<boolean> {
  const before = await processOf(one);
  await other.query('begin');
  // asked first: a pooler with this one session has none left for the other question
  const taken = await processOf(other);
  const shared = taken === before || (await processOf(one)) !== before;
  await other.query('commit');
  return shared;
}

async function processOf(client: pg.Client): Promise<number | undefined> {
  return (await client.query<{ pid: number }>(PROCESS)).rows[0]?.pid;
}
