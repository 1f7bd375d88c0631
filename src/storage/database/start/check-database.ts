import pg from 'pg';
import { locateSchema, tablesSchema } from '../session/database-schema.js';
import { DatabaseStartError } from '../session/database-start-error.js';

const OLDEST_SUPPORTED = 14;
/** That of the schema of the tables is longer. */
const LONGEST_NAME = 56;

/** Facts that a server reports about itself and the database. */
export interface DatabaseFacts {
  readonly version: number;
  readonly encoding: string;
  readonly in_recovery: boolean;
  /** The schema for the server's tables. */
  readonly schema: string;
  /** Whether tables can be created in that schema; null where it does not exist yet. */
  readonly may_create: boolean | null;
  readonly may_create_schema: boolean;
  /** Whether there is a schema for the tables already. */
  readonly has_tables_schema: boolean;
  /** The one of the two schemas that is missing where the other one is a server's. */
  readonly lost: string | null;
  /** Whether one of the schemas has tables, none of which is the server's. */
  readonly foreign: boolean;
  /**
   * One of the schemas whose owner, or that of what is in it, is a role whose objects the server must not run; that role; and what is in the
   * schema: a server's tables, or something else.
   */
  readonly stranger: readonly [schema: string, owner: string, contents: 'server' | 'other' | null] | null;
  /** By schema, the roles besides its owner and the user that may create objects in it; null is everybody. */
  readonly creators: readonly (readonly [schema: string, roles: readonly (string | null)[]])[] | null;
  readonly user: string;
  readonly database: string;
  /** What this version of PostgreSQL takes as a name only in quotes. */
  readonly keywords: readonly string[];
}

/** Columns of DatabaseFacts; $1 is the schema. */
export const DATABASE_FACTS = `
         current_setting('server_version_num')::int as version,
         current_setting('server_encoding') as encoding,
         pg_is_in_recovery() as in_recovery,
         $1::text as schema,
         (select has_schema_privilege(oid, 'create') from pg_namespace where nspname = $1) as may_create,
         has_database_privilege(current_database(), 'create') as may_create_schema,
         exists (select from pg_namespace where nspname = $1 || '_tables') as has_tables_schema,
         (select case when c.relkind = 'r' and to_regnamespace(quote_ident($1)) is null then $1
                      when c.relkind = 'v' and to_regnamespace(quote_ident($1 || '_tables')) is null then $1 || '_tables' end
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relname = 'schema_migration' and (n.nspname, c.relkind) in (($1, 'v'), ($1 || '_tables', 'r'))
          order by 1 limit 1) as lost,
         (select coalesce(bool_or(is_foreign), false) from (
            select bool_or(c.relname not in ('schema_migration', 'schema_migration_lock'))
              and not bool_or(c.relname = 'schema_migration') as is_foreign
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ($1, $1 || '_tables') and c.relkind <> 'i' group by n.oid) as found) as foreign,
         (select array[n.nspname::text, owner.rolname::text,
                       case when migrations.oid is not null then 'server'
                            when exists (select from pg_depend where refclassid = 'pg_namespace'::regclass and refobjid = n.oid) then 'other' end]
          from pg_namespace n
          left join pg_class migrations on migrations.relnamespace = n.oid and migrations.relname = 'schema_migration'
          join pg_roles owner on owner.oid = coalesce(migrations.relowner, n.nspowner)
          join pg_roles me on me.rolname = current_user
          join pg_database d on d.datname = current_database()
          where n.nspname in ($1, $1 || '_tables') and owner.oid <> me.oid
            and case when me.rolsuper then migrations.oid is null else not pg_has_role(owner.oid, 'member') end
            and (migrations.oid is not null or not owner.rolsuper and owner.oid <> d.datdba and owner.rolname <> 'pg_database_owner')
          order by n.nspname limit 1
         ) as stranger,
         (select json_agg(json_build_array(nspname, roles) order by nspname)
          from (select n.nspname, array_agg(distinct r.rolname::text) as roles
            from pg_namespace n cross join aclexplode(n.nspacl) a left join pg_roles r on r.oid = a.grantee
            where n.nspname in ($1, $1 || '_tables') and a.privilege_type = 'CREATE' and a.grantee <> n.nspowner and r.rolname is distinct from current_user
            group by n.nspname) as granted
         ) as creators,
         current_user as "user",
         current_database() as database,
         (select array_agg(word::text) from pg_get_keywords() where catcode <> 'U') as keywords`;

/**
 * Rejects, with a DatabaseStartError, a database in which the server could not work. `given` is `--database-schema`. Returns what should be
 * different, in one line.
 */
export async function checkDatabase(client: pg.ClientBase, given: string | undefined): Promise<string | undefined> {
  const { rows } = await client.query<DatabaseFacts>(`select ${DATABASE_FACTS}`, [await locateSchema(client, given)]);
  const facts = rows[0];
  const problem = facts && (databaseProblem(facts) ?? (given ? undefined : foreignTables(facts)));
  if (problem) throw new DatabaseStartError(problem);
  return facts && createdByOthers(facts);
}

/** A warning if others may create objects in the schemas, with what revokes it; they may have granted it on. */
export function createdByOthers({ creators, keywords }: DatabaseFacts): string | undefined {
  if (creators === null) return undefined;
  const name = namesBeside(keywords);
  const roles = [...new Set(creators.flatMap(([, granted]) => granted.map((role) => role ?? 'everybody')))].join(', ');
  const schemas = creators.map(([schema]) => schema).join(' and ');
  const revokes = creators.map(([schema, granted]) => {
    const from = granted.map((role) => (role === null ? 'public' : name(role))).join(', ');
    return `revoke create on schema ${name(schema)} from ${from} cascade`;
  });
  return `what ${roles} may create in the schema ${schemas} could be run by the server: run "${revokes.join('; ')}" there`;
}

/** Rejects, with a DatabaseStartError, a version that lacks settings of sessions or what commands read. */
export async function requireSupportedVersion(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  const problem = tooOld(Number(rows[0]?.server_version_num));
  if (problem !== undefined) throw new DatabaseStartError(problem);
}

function tooOld(version: number): string | undefined {
  const major = Math.floor(version / 10_000);
  return major < OLDEST_SUPPORTED ? `PostgreSQL ${major} is too old: version ${OLDEST_SUPPORTED} or newer is required` : undefined;
}

/** The reason why the server could not work there, in one line. */
export function databaseProblem(facts: DatabaseFacts): string | undefined {
  const { schema, user, database } = facts;
  const name = namesBeside(facts.keywords);
  const old = tooOld(facts.version);
  if (old !== undefined) return old;
  if (facts.encoding !== 'UTF8') return `the database ${database} has the encoding ${facts.encoding}: UTF8 is required`;
  if (facts.in_recovery) return 'the database is a standby: the server needs the primary';
  if (facts.stranger !== null) return strangeOwner(facts.stranger, user, name);
  if (Buffer.byteLength(schema) > LONGEST_NAME) {
    return `the name of the schema ${schema} is too long: choose one of at most ${LONGEST_NAME} bytes with --database-schema`;
  }
  if (facts.lost !== null) {
    return `the schema ${facts.lost} of the database ${database} is missing, though there is the other one of ${schema} and ${tablesSchema(schema)}: rename or restore it`;
  }
  const missing = facts.may_create === null ? [schema] : [];
  if (!facts.has_tables_schema) missing.push(tablesSchema(schema));
  if (missing.length > 0 && !facts.may_create_schema) {
    const commands = missing.map((each) => `create schema ${name(each)} authorization ${name(user)}`).join('; ');
    return `the user ${user} lacks the privilege to create the schema ${missing.join(' and ')} in the database ${database}: run "${commands}" there, or choose another schema with --database-schema`;
  }
  if (facts.may_create === false) {
    return `the user ${user} lacks the privilege to create tables in the schema ${schema}: run "grant usage, create on schema ${name(schema)} to ${name(user)}" there`;
  }
  return undefined;
}

/** The schema belongs to a stranger, who can have the server run anything, and may have created it for that. No grant would help. */
function strangeOwner([schema, owner, contents]: NonNullable<DatabaseFacts['stranger']>, user: string, name: Naming): string {
  const reason = `the schema ${schema} belongs to ${owner}, who could have the server run anything`;
  const another = 'choose another schema with --database-schema';
  if (contents === 'server') return `${reason}: connect as ${owner}, whose servers use it, or ${another}`;
  if (contents === 'other') return `${reason}, and is not empty: ${another}`;
  return `${reason}: run "alter schema ${name(schema)} owner to ${name(user)}" there, or ${another}`;
}

/** A name as SQL spells it. */
type Naming = (text: string) => string;

function namesBeside(keywords: readonly string[]): Naming {
  return (text) => (/^[a-z_][a-z0-9_]*$/.test(text) && !keywords.includes(text) ? text : pg.escapeIdentifier(text));
}

/** Tables are created among those of another program only if the schema was configured explicitly. */
function foreignTables({ foreign, schema, database }: DatabaseFacts): string | undefined {
  if (!foreign) return undefined;
  return `the schema ${schema} of the database ${database} has tables of another program: pass --database-schema with another schema, or with this one to share it`;
}
