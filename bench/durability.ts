import pg from 'pg';

const REQUIRED = ['fsync', 'full_page_writes', 'synchronous_commit'];

/** Prints the settings on which durability rests; throws unless all are on. A rate measured without them means nothing. */
export async function assertDurable(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; setting: string }>('select name, setting from pg_settings where name = any($1)', [
      REQUIRED,
    ]);
    console.log(rows.map(({ name, setting }) => `${name} ${setting}`).join(', '));
    const off = rows.filter(({ setting }) => setting !== 'on').map(({ name }) => name);
    if (off.length > 0 || rows.length !== REQUIRED.length) throw new Error(`not durable: ${off.join(', ')}`);
  } finally {
    await client.end();
  }
}
