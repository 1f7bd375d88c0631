import { sqlStatement } from '../statement/statement.js';

/** A session for whose lock another one waits. */
export interface BlockingSession {
  readonly pid: number;
  readonly role: string | null;
  readonly application: string | null;
  /** Its last statement, in one line; only members of pg_read_all_stats see those of other roles. */
  readonly query: string | null;
  /** Since its transaction began; null if that cannot be seen either. */
  readonly seconds: number | null;
}

/** The sessions for whose locks the process $1 waits, those that hold a lock before those that wait for it as well. */
export const LIST_BLOCKING_SESSIONS = sqlStatement<BlockingSession, readonly [pid: number]>(
  'list_blocking_sessions',
  `
  select a.pid, a.usename::text as role, a.application_name as application, regexp_replace(left(a.query, 200), '\\s+', ' ', 'g') as query,
         extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds
  from unnest(pg_blocking_pids($1::integer)) as b(pid) join pg_stat_activity a on a.pid = b.pid
  order by cardinality(pg_blocking_pids(a.pid)), a.xact_start nulls last limit 3`,
);

/** Who blocks, in a few words, for an administrator who decides whether to end it. */
export function describeBlocking({ pid, role, application, query, seconds }: BlockingSession): string {
  const facts = [
    role === null ? '' : `role ${role}`,
    application ?? '',
    seconds === null ? '' : `a transaction of ${Math.round(seconds)} s`,
    query === null ? '' : JSON.stringify(query),
  ];
  return `process ${pid} (${facts.filter((fact) => fact !== '').join(', ')})`;
}
