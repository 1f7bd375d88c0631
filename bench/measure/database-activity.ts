import pg from 'pg';

/** Transactions that others than this one have ended in the database of this URL, a second. Every statement of a server outside a transaction is one. */
export async function transactionsPerSecond(databaseUrl: string, seconds: number): Promise<number> {
  const before = await transactions(databaseUrl);
  const started = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const after = await transactions(databaseUrl);
  return Math.round(((after - before - OWN) / ((performance.now() - started) / 1000)) * 100) / 100;
}

/** A question is counted once it is answered: the difference holds the first one's. */
const OWN = 1;

async function transactions(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ ended: string }>(
      'select xact_commit + xact_rollback as ended from pg_stat_database where datname = current_database()',
    );
    return Number(rows[0]?.ended);
  } finally {
    await client.end();
  }
}
