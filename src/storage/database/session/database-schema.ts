import pg from 'pg';
import { DatabaseStartError } from './database-start-error.js';

/** Schema of new installations. */
export const DEFAULT_SCHEMA = 'coordination';

/**
 * Schemas with an installation: the default one, and those in the role's own search_path, in which earlier versions created their tables. Up to
 * PostgreSQL 14 anybody may create tables in `public`: what belongs to a role that this one does not trust is no installation.
 */
const INSTALLATIONS = `
  select distinct n.nspname as schema
  from pg_catalog.pg_namespace n
  join pg_catalog.pg_class migrations on migrations.relnamespace = n.oid and migrations.relname = 'schema_migration'
  left join pg_catalog.pg_namespace t on t.nspname = n.nspname || '_tables'
  join pg_catalog.pg_class objects on objects.relnamespace in (n.oid, t.oid) and objects.relname = 'objects' and objects.relkind = 'r'
  join pg_catalog.pg_attribute a on a.attrelid = objects.oid and a.attname = 'terminating' and not a.attisdropped
  join pg_catalog.pg_roles owner on owner.oid = objects.relowner
  join pg_catalog.pg_roles me on me.rolname = current_user
  where not exists (select from pg_catalog.pg_namespace u where n.nspname = u.nspname || '_tables') and (n.nspname = $1
     or n.nspname = any(pg_catalog.current_schemas(false))
        and case when me.rolsuper then owner.rolsuper else pg_catalog.pg_has_role(owner.oid, 'member') end)
  order by 1`;

/**
 * Returns the schema of the server's tables: the given one, else that of the existing installation, else the default. Rejects with a
 * DatabaseStartError if there are two installations. The session must still have the search_path of its role.
 */
export async function locateSchema(client: pg.ClientBase, given = ''): Promise<string> {
  if (given !== '') return given;
  const { rows } = await client.query<{ schema: string }>(INSTALLATIONS, [DEFAULT_SCHEMA]);
  const [found, other] = rows;
  if (found && other) {
    throw new DatabaseStartError(
      `the database has tables of coordination-apiserver in the schemas ${found.schema} and ${other.schema}: choose one with --database-schema`,
    );
  }
  return found?.schema ?? DEFAULT_SCHEMA;
}

/** The schema of the tables, which nobody else can name; the other one has what people call (migrations/0002_tables_apart.up.sql). */
export function tablesSchema(schema: string): string {
  return `${schema}_tables`;
}

/**
 * The complete search_path of the server's sessions, so that tables, functions and operators of other programs are never used by mistake.
 */
export function searchPath(schema: string): string {
  return `${pg.escapeIdentifier(tablesSchema(schema))}, ${pg.escapeIdentifier(schema)}`;
}

/** Notification channel for commits in this schema. Earlier versions only know the first one. */
export function changesChannel(schema: string): string {
  return schema === 'public' || !/^[a-z0-9_]{1,42}$/.test(schema) ? 'coordination_changes' : `coordination_changes_${schema}`;
}
