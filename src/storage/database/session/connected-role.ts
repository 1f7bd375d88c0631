import { sqlStatement } from '../statement/statement.js';

/** The role of a connection, and what it is to the server's tables. */
export interface ConnectedRole {
  readonly user: string;
  readonly superuser: boolean;
  /** The owner of the tables, if there are any and it is another role. */
  readonly owner: string | null;
  /** A role as which servers do not run: neither the owner nor, without being a superuser, a member of it. */
  readonly stranger: boolean;
  /** Whether it may look into the schema of the tables; null where there is none. */
  readonly may_use: boolean | null;
}

/** A role and the owner of the tables, which is another one. Only the password of the owner is known to be that of servers. */
export interface OtherRole {
  readonly user: string;
  readonly owner: string;
}

/** Reads the ConnectedRole; $1 is the schema. One row. */
export const READ_ROLE = sqlStatement<ConnectedRole, readonly [schema: string]>(
  'read_role',
  `
  select me.rolname::text as "user", me.rolsuper as superuser,
         case when t.relowner <> me.oid then pg_get_userbyid(t.relowner)::text end as owner,
         coalesce(t.relowner <> me.oid and (me.rolsuper or not pg_has_role(t.relowner, 'member')), false) as stranger,
         has_schema_privilege(n.oid, 'usage') as may_use
  from pg_roles me left join pg_namespace n on n.nspname = case when exists (select from pg_namespace where nspname = $1 || '_tables')
                                                                then $1 || '_tables' else $1 end
  left join pg_class t on t.relnamespace = n.oid and t.relname = 'schema_migration'
  where me.rolname = current_user`,
);

/** The database's clock, in milliseconds. One row. */
export const READ_CLOCK = sqlStatement<{ now: number }, readonly []>(
  'read_clock',
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
);
