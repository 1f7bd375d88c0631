import pg from 'pg';

/** Transactions per second of other sessions in this URL's database. Every statement of a server outside a transaction is one. */
export async function transactionsPerSecond(databaseUrl: string, seconds: number): Promise<number> {
  const before = await transactions(databaseUrl);
  const started = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const after = await transactions(databaseUrl);
  return Math.round(((after - before - OWN) / ((performance.now() - started) / 1000)) * 100) / 100;
}

/** A query is counted once it is answered, so the difference includes the first query. */
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
