import { sqlStatement } from '../statement/statement.js';

/** A transaction that has locked what others wait for. What the role may not see of it is null: only members of pg_read_all_stats see all. */
export interface LockHolder {
  /** Null for a prepared transaction, which has no session. */
  readonly pid: number | null;
  readonly role: string | null;
  readonly application: string | null;
  readonly state: string | null;
  /** The session's last statement, in one line. */
  readonly query: string | null;
  /** Since the transaction began. */
  readonly seconds: number | null;
  readonly relations: readonly string[];
}

/** The holder of `l`, a row of pg_locks. */
const HOLDER = `
         l.pid, coalesce(a.usename::text, p.owner::text) as role, a.application_name as application,
         case when p.gid is null then a.state else 'prepared transaction ' || p.gid end as state,
         regexp_replace(left(a.query, 200), '\\s+', ' ', 'g') as query,
         extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared))::integer as seconds`;
const SESSIONS = `
  left join pg_stat_activity a on a.pid = l.pid
  left join pg_prepared_xacts p on l.pid is null and l.virtualtransaction = '-1/' || p.transaction::text`;

/** Modes of a table's lock for which writes wait. */
export const AGAINST_WRITES = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'] as const;
/** Modes for which a migration waits, which locks its table in the first of them. */
export const AGAINST_MIGRATIONS = ['ShareUpdateExclusiveLock', ...AGAINST_WRITES] as const;
/** Modes that rows are locked with, and all of the above. */
export const MORE_THAN_READING = ['RowShareLock', 'RowExclusiveLock', ...AGAINST_MIGRATIONS] as const;

/**
 * Other transactions that have locked one of the relations $1, or one of their partitions, in one of the modes $2; the oldest first. Null means all
 * relations of the schema, or all modes. One that waits for the lock of a table keeps those waiting that come later. Those that have only just
 * begun are left out.
 */
export const LIST_LOCK_HOLDERS = sqlStatement<LockHolder, readonly [relations: readonly string[] | null, modes: readonly string[] | null]>(
  'list_lock_holders',
  `
  select ${HOLDER}, array_agg(distinct c.relname::text) as relations
  from pg_locks l
  join pg_class c on c.oid = l.relation
  left join pg_inherits i on i.inhrelid = c.oid ${SESSIONS}
  where l.locktype = 'relation' and l.pid is distinct from pg_backend_pid()
    and (l.granted or l.mode = any ('{ShareLock,ShareRowExclusiveLock,ExclusiveLock,AccessExclusiveLock}'))
    and l.database = (select oid from pg_database where datname = current_database())
    and c.relnamespace in (select oid from pg_namespace where nspname = any (current_schemas(false)))
    and c.relkind in ('r', 'p', 'v')
    and ($1::text[] is null or c.relname = any ($1) or i.inhparent = any (select to_regclass(quote_ident(r)) from unnest($1) r))
    and ($2::text[] is null or l.mode = any ($2))
    and (coalesce(a.xact_start, p.prepared) < clock_timestamp() - interval '100ms') is not false
  group by l.pid, l.virtualtransaction, 2, 3, 4, 5, 6
  order by seconds desc nulls last limit 3`,
);

/** A session that has locked the revision counter. */
export interface CounterHolder extends LockHolder {
  readonly transaction: string;
  /** Whether its session was told to end. */
  readonly ended: boolean;
}

/**
 * The transaction that has locked the revision counter, unless it is a server's. If it is $1, the one that was seen before, the session is ended,
 * provided that it is a SQL client's and this role may end it. Whoever is no member of the counter's owner can have locked it by a procedure
 * only. A commit that waits for a standby is left alone: it would be done without the standby.
 */
export const LOOK_AT_COUNTER = sqlStatement<CounterHolder, readonly [seen: string | null]>(
  'look_at_counter',
  `
  select ${HOLDER}, array['revision_counter'] as relations, c.xmax::text as transaction,
         case when c.xmax::text = $1::text and a.backend_type = 'client backend' and a.wait_event is distinct from 'SyncRep'
                and not pg_has_role(a.usesysid, t.relowner, 'member') and pg_has_role('pg_signal_backend', 'usage')
              then pg_terminate_backend(a.pid) else false end as ended
  from revision_counter c
  join pg_class t on t.oid = c.tableoid
  join pg_locks l on l.locktype = 'transactionid' and l.transactionid = c.xmax and l.granted ${SESSIONS}
  where (a.usename = current_user and a.application_name like 'coordination-apiserver %') is not true`,
);

/** A session for which a session of ours waits. */
export interface Blocker extends LockHolder {
  readonly pid: number;
  /** Whether it waits itself, so that the one of ours is behind it in the queue. */
  readonly waits: boolean;
  /** Whether its statement was cancelled. */
  readonly cancelled: boolean;
}

/**
 * The sessions that keep the session $1 waiting for the lock of a table or catalogue. One of $2, those that were seen before, is a command that waits for
 * such a lock itself, as VACUUM FULL does behind an open transaction: it is cancelled if this role may, since all writes are in the queue behind it.
 */
export const LOOK_AT_BLOCKERS = sqlStatement<Blocker, readonly [writer: number, seen: readonly number[]]>(
  'look_at_blockers',
  `
  select ${HOLDER}, wanted.relations, coalesce(a.wait_event_type = 'Lock', false) as waits,
         case when l.pid = any ($2::integer[]) and a.backend_type = 'client backend'
                and exists (select from pg_locks w where w.pid = l.pid and w.locktype = 'relation' and not w.granted)
                and (a.usename = current_user and a.application_name like 'coordination-apiserver %') is not true
                and exists (select from pg_roles me, pg_roles they where me.rolname = current_user and they.oid = a.usesysid
                            and (me.rolsuper or not they.rolsuper and (pg_has_role('pg_signal_backend', 'usage') or pg_has_role(they.oid, 'usage'))))
              then pg_cancel_backend(l.pid) else false end as cancelled
  from (select array_agg(distinct w.relation::regclass::text) as relations from pg_locks w
        where w.pid = $1 and w.locktype = 'relation' and not w.granted having count(*) > 0) wanted
  cross join unnest(pg_blocking_pids($1)) l(pid)
  left join pg_stat_activity a on a.pid = l.pid
  left join pg_prepared_xacts p on false`,
);

/** Describes a holder of locks in one line, for an administrator who decides whether to end it. */
export function describeHolder({
  pid,
  role,
  application,
  state,
  query,
  seconds,
  relations,
  waits,
}: LockHolder & { waits?: boolean }): string {
  const who = pid === null ? (state ?? 'a prepared transaction') : `process ${pid}`;
  const facts = [
    role && `role ${role}`,
    application,
    pid === null ? null : state,
    seconds === null ? null : `a transaction of ${seconds} s`,
    query && `"${query}"`,
  ].filter((fact) => fact);
  const what = relations.join(', ');
  return `${who} (${facts.join(', ')}) ${waits ? `waits to lock ${what}` : `has ${what} locked`}`;
}

const KEEPS_ROWS = '(backend_xmin is not null or backend_xid is not null) and pid <> pg_backend_pid()';

/**
 * Seconds since the start of the oldest transaction in another session that keeps old row versions alive: one with a snapshot, or with a
 * transaction id, which it has from its first write to its end. Sessions of other roles are visible only to members of pg_read_all_stats.
 */
export const OLDEST_TRANSACTION = sqlStatement<{ seconds: number }, readonly []>(
  'oldest_transaction',
  `
  select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as seconds from pg_stat_activity
  where ${KEEPS_ROWS}`,
);

/** The process and the role of that session, as an expression of SQL; null without one. */
export const WHOSE_OLDEST_TRANSACTION = `
  (select format('process %s of the role %s, %s', pid, usename, state) from pg_stat_activity where ${KEEPS_ROWS} order by xact_start limit 1)`;
