import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** The id of a PostgreSQL's first process; 0 where it runs on another machine or this user may not ask. */
export async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ dir: string }>(`select setting as dir from pg_settings where name = 'data_directory'`);
    return Number(readFileSync(path.join(rows[0]?.dir ?? '', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return 0;
  } finally {
    await client.end();
  }
}
