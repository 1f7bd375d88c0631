import pg from 'pg';
import { DatabaseStartError } from './database-start-error.js';

/** Where new installations have their tables. */
export const DEFAULT_SCHEMA = 'coordination';

/** Schemas with an installation: the default one, and those of the role's own search_path, where earlier versions made their tables. */
const INSTALLATIONS = `
  select n.nspname as schema
  from pg_catalog.pg_namespace n
  join pg_catalog.pg_class migrations on migrations.relnamespace = n.oid and migrations.relname = 'schema_migration'
  join pg_catalog.pg_class objects on objects.relnamespace = n.oid and objects.relname = 'objects'
  join pg_catalog.pg_attribute a on a.attrelid = objects.oid and a.attname = 'terminating' and not a.attisdropped
  where n.nspname = $1 or n.nspname = any(pg_catalog.current_schemas(false))
  order by 1`;

/**
 * The schema that has, or is to have, the server's tables: the given one, else that of the installation there is, else the default.
 * Rejects with a DatabaseStartError where there are two. The session must not have another search_path than its role yet.
 */
export async function locateSchema(client: pg.ClientBase, given = ''): Promise<string> {
  if (given !== '') return given;
  const { rows } = await client.query<{ schema: string }>(INSTALLATIONS, [DEFAULT_SCHEMA]);
  const [found, other] = rows;
  if (found && other) {
    throw new DatabaseStartError(
      `the database has tables of coordination-apiserver in the schemas ${found.schema} and ${other.schema}: say which with --database-schema`,
    );
  }
  return found?.schema ?? DEFAULT_SCHEMA;
}

/** The whole search_path of the server's sessions: no table, function or operator of another program is ever taken for one of ours. */
export function searchPath(schema: string): string {
  return pg.escapeIdentifier(schema);
}

/** What commits in this schema are notified on. Earlier versions knew the first one alone. */
export function changesChannel(schema: string): string {
  return schema === 'public' || !/^[a-z0-9_]{1,42}$/.test(schema) ? 'coordination_changes' : `coordination_changes_${schema}`;
}
