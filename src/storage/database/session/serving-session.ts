import pg from 'pg';
import { type Statement, sqlStatement } from '../statement/statement.js';

/**
 * A server notes its sessions for writes and notifications, so that commands can see them. Only the owner of the table can do so, or be in the
 * way. Rows of sessions that have ended are removed by the next one.
 */
export const SHOW_SERVING = sqlStatement<unknown, readonly []>(
  'show_serving',
  `
  with gone as (
    delete from serving_session where pid in (
      select s.pid from serving_session s where not exists (select from pg_stat_get_activity(s.pid)) for update skip locked)
  )
  insert into serving_session (pid, started) select pid, backend_start from pg_stat_get_activity(pg_backend_pid())
  on conflict (pid) do update set started = excluded.started`,
);

/** The schemas with such a table of the owner of this session's schema. */
export const LIST_SERVED_SCHEMAS = sqlStatement<{ schema: string; here: boolean }, readonly []>(
  'list_served_schemas',
  `
  select n.nspname as schema, n.nspname = current_schema() as here from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relname = 'serving_session' and c.relkind = 'r'
    and c.relowner = (select relowner from pg_class where oid = 'revision_counter'::regclass)`,
);

/**
 * `count`: sessions of servers that use this session's schema. `unclear`: sessions named like a server's but not noted in any of these schemas,
 * as behind a pooler in transaction mode. The start of a session is null for those who may not see it.
 */
export function countServing(
  schemas: readonly { schema: string; here: boolean }[],
): Statement<{ count: number; unclear: number }, readonly []> {
  const noted = [
    // There may be none.
    'select null::integer as pid, null::timestamptz as started, false as here where false',
    ...schemas.map(({ schema, here }) => `select pid, started, ${here} from ${pg.escapeIdentifier(schema)}.serving_session`),
  ];
  return sqlStatement(
    'count_serving',
    `
  with serving as (
    select a.pid, s.here from (${noted.join(' union all ')}) s
    join pg_stat_activity a on a.pid = s.pid and coalesce(a.backend_start, s.started) = s.started
  )
  select (select count(distinct pid)::int from serving where here) as count,
         (select count(*)::int from pg_stat_activity
          where datname = current_database() and pid not in (select pid from serving)
            and application_name in ('coordination-apiserver writes', 'coordination-apiserver notifications')) as unclear`,
  );
}
