import pg from 'pg';
import { DEFAULT_CONNECT_TIMEOUT_MS } from '../session/database-options.js';
import { locateSchema, tablesSchema } from '../session/database-schema.js';
import { startFailure } from '../session/start-failure.js';

/** Owns the server's schema, and is no superuser: what runs as the owner of the schema has no rights besides. */
export const SERVER_ROLE = 'coordination_server';

/** Gives what is in the schema $1, and the schema, to $2. What belongs to an extension or to a table goes with that. */
const REASSIGN = `
  select format('alter schema %I owner to %I', nspname, $2::text) as command from pg_namespace
  where nspname = $1 and nspowner <> $2::regrole
  union all
  select format('alter table %s owner to %I', c.oid::regclass, $2) from pg_class c
  where c.relnamespace = to_regnamespace(quote_ident($1)) and c.relowner <> $2::regrole and c.relkind = any ('{r,p,v,m,f,S}')
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                    and (d.deptype = 'e' or c.relkind = 'S' and d.deptype in ('a', 'i')))
  union all
  select format('alter routine %s owner to %I', p.oid::regprocedure, $2) from pg_proc p
  where p.pronamespace = to_regnamespace(quote_ident($1)) and p.proowner <> $2::regrole
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  union all
  select format('alter type %s owner to %I', t.oid::regtype, $2) from pg_type t
  where t.typnamespace = to_regnamespace(quote_ident($1)) and t.typowner <> $2::regrole and t.typtype = any ('{c,d,e}')
    and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype in ('e', 'i'))`;

/**
 * Creates the role, if it is missing, in a PostgreSQL that is only for this program. `url` is its superuser's. If an earlier version made the schema
 * as that one, the role gets it. Rejects with a DatabaseStartError.
 */
export async function prepareServerRole(url: string, password: string, schema: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'coordination-apiserver start',
    connectionTimeoutMillis: DEFAULT_CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepare(client, password, await locateSchema(client, schema));
  } catch (error) {
    throw startFailure(error);
  } finally {
    await client.end();
  }
}

/** All in one transaction: the schema has one owner at any time. */
async function prepare(client: pg.Client, password: string, schema: string): Promise<void> {
  // Only a superuser can lock this table, and in this mode no login waits for it. Commands may do this at the same time. What a start repeats need
  // not be on a standby: where one is missing, doctor could not say so.
  await client.query(`begin; set local synchronous_commit = local; set local search_path = pg_catalog; set local client_min_messages = warning; set local lock_timeout = '10s';
    lock table pg_authid in share update exclusive mode`);
  const { rows: found } = await client.query('select from pg_roles where rolname = $1', [SERVER_ROLE]);
  await client.query(`
    ${found.length === 0 ? 'create' : 'alter'} role ${SERVER_ROLE} login nosuperuser nocreaterole password ${pg.escapeLiteral(password)};
    grant pg_signal_backend, pg_read_all_stats to ${SERVER_ROLE};
    grant create on database ${pg.escapeIdentifier(client.database ?? '')} to ${SERVER_ROLE}`);
  const commands: string[] = [];
  for (const each of [schema, tablesSchema(schema)]) {
    const { rows } = await client.query<{ command: string }>(REASSIGN, [each, SERVER_ROLE]);
    commands.push(...rows.map(({ command }) => command));
  }
  await client.query([...commands, 'commit'].join('; '));
}
