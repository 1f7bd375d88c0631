import type { Database } from '../database/database.js';
import { COUNT_SERVING } from '../database/session/serving-lock.js';

/** Whether servers work on the schema; `unknown` where they, or the command, are behind a pooler that gives each transaction another session. */
export type Served = { readonly by: 'nobody' | 'unknown' } | { readonly by: 'servers'; readonly why: string };

/** Looked at before the database is changed past the servers. `why` is the refusal, in one line. */
export async function whoServes(database: Database): Promise<Served> {
  if (!database.keepsSessions) return { by: 'unknown' };
  const [row] = await database.query(COUNT_SERVING, []);
  const { count, unclear } = row ?? { count: 0, unclear: 0 };
  if (count === 0) return { by: unclear > 0 ? 'unknown' : 'nobody' };
  return { by: 'servers', why: `servers work on this schema (${count} of their sessions are open): stop them all first` };
}

/** What is said where servers may work unseen. */
export const CANNOT_TELL =
  'behind a pooler in transaction mode it cannot be seen whether servers work on this schema: make sure that all of them are stopped';
