import pg from 'pg';

const LEASE = `'default', 'user'`;
const SCHEMA = `
  create table if not exists public.payment (id bigserial primary key, token bigint not null);
  create or replace trigger fence before insert or update or delete on public.payment
  for each row execute function coordination.fence('default/user')`;

/** Transactions that users have left open. */
export interface UserTransactions {
  /** Ends them, and says of each what PostgreSQL answered. */
  end(): Promise<string[]>;
}

/**
 * Opens, each in a session of its own: one after lease_assert, one after a write to a fenced table, one after a lease_acquire that was refused in it,
 * and, after a takeover that did not wait for them, one of the next holder, whose lease_assert waits for the first two. The server's namespace
 * `default` must exist.
 */
export async function openUserTransactions(databaseUrl: string): Promise<UserTransactions> {
  const sessions: pg.Client[] = [];
  const connect = async () => {
    const session = new pg.Client(databaseUrl);
    session.on('error', (error) => console.error('a session has ended:', error.message));
    await session.connect();
    sessions.push(session);
    return session;
  };
  const calls = await connect();
  await calls.query(SCHEMA);
  const acquire = async (holder: string) => {
    const { rows } = await calls.query<{ token: string }>(`call coordination.lease_acquire(${LEASE}, $1, '1 h')`, [holder]);
    return rows[0]?.token;
  };
  const token = await acquire('user');
  // the others of a term wait for its first transaction
  await calls.query(`select coordination.lease_assert(${LEASE}, $1)`, [token]);
  const asserted = await connect();
  await asserted.query('begin');
  await asserted.query(`select coordination.lease_assert(${LEASE}, $1)`, [token]);
  const written = await connect();
  await written.query('begin');
  await written.query('insert into public.payment (token) values ($1)', [token]);
  const refused = await connect();
  await refused.query('begin');
  const refusal = await answerOf(refused.query(`call coordination.lease_acquire(${LEASE}, 'user', '1 h')`));

  await calls.query(`call coordination.lease_release(${LEASE}, 'user')`);
  const newer = await acquire('next');
  const next = await connect();
  await next.query('begin');
  const opened = performance.now();
  const passed = next.query(`select coordination.lease_assert(${LEASE}, $1)`, [newer]).then(() => performance.now() - opened);

  return {
    end: async () => {
      const open = ((performance.now() - opened) / 1000).toFixed(0);
      const answers = [
        `lease_acquire within a transaction: ${refusal}`,
        `commit ${open} s after lease_assert, and after a takeover: ${await answerOf(asserted.query('commit'))}`,
        `commit ${open} s after a fenced write, and after a takeover: ${await answerOf(written.query('commit'))}`,
        `lease_assert of the next holder: passed after ${((await passed) / 1000).toFixed(0)} s`,
        `its commit: ${await answerOf(next.query('commit'))}`,
      ];
      await refused.query('rollback');
      await calls.query(`call coordination.lease_release(${LEASE}, 'next')`);
      await Promise.all(sessions.map((session) => session.end()));
      return answers;
    },
  };
}

async function answerOf(query: Promise<unknown>): Promise<string> {
  return query.then(
    () => 'committed',
    (error: unknown) => (error instanceof pg.DatabaseError ? `${error.code} ${error.message}` : String(error)),
  );
}
