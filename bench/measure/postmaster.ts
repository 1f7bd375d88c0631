import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** The process id of the postmaster; 0 if PostgreSQL runs on another machine or this user may not query it. */
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
