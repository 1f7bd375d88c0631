import type pg from 'pg';

/** What a server has open as long as it works, and no command has. */
const SESSIONS = `
  select count(*)::int as count from pg_stat_activity
  where datname = current_database() and application_name in ('coordination-apiserver writes', 'coordination-apiserver notifications')`;

/** Why the database cannot be changed past the servers, in one line; undefined where none works on it. */
export async function whyServed(client: pg.ClientBase | pg.Pool): Promise<string | undefined> {
  const { rows } = await client.query<{ count: number }>(SESSIONS);
  const count = rows[0]?.count ?? 0;
  if (count === 0) return undefined;
  return `servers work on this database (${count} of their sessions are open): stop them all first`;
}
