import type pg from 'pg';
import { DatabaseStartError } from './database-start-error.js';

const OLDEST_SUPPORTED = 14;

/** What a server says about itself and the database. */
export interface DatabaseFacts {
  readonly version: number;
  readonly encoding: string;
  readonly in_recovery: boolean;
  readonly schema: string | null;
  readonly may_create: boolean | null;
  readonly user: string;
  readonly database: string;
}

const FACTS = `
  select current_setting('server_version_num')::int as version,
         current_setting('server_encoding') as encoding,
         pg_is_in_recovery() as in_recovery,
         current_schema() as schema,
         has_schema_privilege(current_schema(), 'create') as may_create,
         current_user as "user",
         current_database() as database`;

/** Refuses a database in which the server could not work. Rejects with a DatabaseStartError that says what is wrong. */
export async function checkDatabase(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<DatabaseFacts>(FACTS);
  const facts = rows[0];
  const problem = facts && databaseProblem(facts);
  if (problem) throw new DatabaseStartError(problem);
}

/** Why the server could not work there, in one line. */
export function databaseProblem(facts: DatabaseFacts): string | undefined {
  const major = Math.floor(facts.version / 10_000);
  if (major < OLDEST_SUPPORTED) return `PostgreSQL ${major} is too old: ${OLDEST_SUPPORTED} or newer is needed`;
  if (facts.encoding !== 'UTF8') return `the database ${facts.database} has the encoding ${facts.encoding}: UTF8 is needed`;
  if (facts.in_recovery) return 'the database is a standby: the server needs the primary';
  if (facts.schema === null) return `the database ${facts.database} has no schema that the search_path of ${facts.user} names`;
  if (!facts.may_create) return `the user ${facts.user} lacks the right to create tables in the schema ${facts.schema}`;
  return undefined;
}
