import { sqlStatement } from '../statement/statement.js';

/** A transaction that holds locks on tables of the schema. */
interface LockHolder {
  /** Null for a prepared transaction, which has no session. */
  readonly pid: number | null;
  readonly role: string | null;
  readonly application: string | null;
  readonly state: string | null;
  readonly query: string | null;
  /** Since its transaction began; null if the role may not see that. */
  readonly seconds: number | null;
  readonly relations: readonly string[];
}

/**
 * Other transactions that hold a lock on one of the relations $1, or on one of their partitions; the oldest first. Null means all relations of
 * the schema. Those that have only just begun are left out.
 */
export const LIST_LOCK_HOLDERS = sqlStatement<LockHolder, readonly [readonly string[] | null]>(
  'list_lock_holders',
  `
  select l.pid, coalesce(a.usename::text, p.owner::text) as role, a.application_name as application,
         case when p.gid is null then a.state else 'prepared transaction ' || p.gid end as state,
         regexp_replace(left(a.query, 200), '\\s+', ' ', 'g') as query,
         extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared))::integer as seconds,
         array_agg(distinct c.relname::text) as relations
  from pg_locks l
  join pg_class c on c.oid = l.relation
  left join pg_inherits i on i.inhrelid = c.oid
  left join pg_stat_activity a on a.pid = l.pid
  left join pg_prepared_xacts p on l.pid is null and l.virtualtransaction = '-1/' || p.transaction::text
  where l.locktype = 'relation' and l.granted and l.pid is distinct from pg_backend_pid()
    and l.database = (select oid from pg_database where datname = current_database())
    and c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and c.relkind in ('r', 'p', 'v')
    and ($1::text[] is null or c.relname = any ($1) or i.inhparent = any (select to_regclass(quote_ident(r)) from unnest($1) r))
    and (coalesce(a.xact_start, p.prepared) < clock_timestamp() - interval '100ms') is not false
  group by l.pid, l.virtualtransaction, 2, 3, 4, 5, 6
  order by seconds desc nulls last limit 3`,
);

/** Who holds locks, for an administrator who decides whether to end it: in one line. */
export function describeHolder({ pid, role, application, state, query, seconds, relations }: LockHolder): string {
  const who = pid === null ? (state ?? 'a prepared transaction') : `process ${pid}`;
  const facts = [
    role && `role ${role}`,
    application,
    pid === null ? null : state,
    seconds === null ? null : `a transaction of ${seconds} s`,
    query && `"${query}"`,
  ].filter((fact) => fact);
  return `${who} (${facts.join(', ')}) has ${relations.join(', ')} locked`;
}
