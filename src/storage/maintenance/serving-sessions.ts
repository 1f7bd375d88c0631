import type { Database } from '../database/database.js';
import { countServing, LIST_SERVED_SCHEMAS } from '../database/session/serving-session.js';

/**
 * Whether servers use the schema; `unknown` if they, or the command, are behind a pooler in transaction mode. `why` is the refusal, in one
 * line.
 */
export type Served = { readonly by: 'nobody' | 'unknown' } | { readonly by: 'servers'; readonly why: string };

/** Finds out whether servers use the schema, before a command changes it behind their backs. */
export async function whoServes(database: Database): Promise<Served> {
  if (!database.keepsSessions) return { by: 'unknown' };
  const [row] = await database.query(countServing(await database.query(LIST_SERVED_SCHEMAS, [])), []);
  const { count, unclear } = row ?? { count: 0, unclear: 0 };
  if (count === 0) return { by: unclear > 0 ? 'unknown' : 'nobody' };
  return { by: 'servers', why: `servers are using this schema (${count} sessions are open): stop them all first` };
}

/** The warning for the case that servers cannot be detected. */
export const CANNOT_TELL =
  'behind a transaction pooler, the servers that use this schema cannot be detected: make sure that all of them are stopped';
