import type { Database } from './database.js';
import type { Statement } from './statement.js';

/** What a server has open as long as it works, and no command has. */
const SESSIONS: Statement = {
  name: 'serving_sessions',
  text: `
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name in ('coordination-apiserver writes', 'coordination-apiserver notifications')`,
};

/**
 * Why the database cannot be changed past the servers, in one line; undefined where none works on it, or nobody can tell: a pooler's sessions
 * have the name of whoever used them last, and outlive him.
 */
export async function whyServed(database: Database): Promise<string | undefined> {
  if (!database.keepsSessions) return undefined;
  const [row] = await database.query<{ count: number }>(SESSIONS);
  const count = row?.count ?? 0;
  if (count === 0) return undefined;
  return `servers work on this database (${count} of their sessions are open): stop them all first`;
}
