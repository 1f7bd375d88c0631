import pg from 'pg';

const REQUIRED = ['fsync', 'full_page_writes', 'synchronous_commit'];

/** The settings that ensure durability, and the version; throws unless all are on. A rate measured without them is meaningless. */
export async function assertDurable(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; setting: string }>('select name, setting from pg_settings where name = any($1)', [
      [...REQUIRED, 'server_version'],
    ]);
    const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
    const off = REQUIRED.filter((name) => settings.get(name) !== 'on');
    if (off.length > 0) throw new Error(`not durable: ${off.join(', ')}`);
    return `PostgreSQL ${settings.get('server_version')}, ${REQUIRED.map((name) => `${name} on`).join(', ')}`;
  } finally {
    await client.end();
  }
}
