import pg from 'pg';
import { type Statement, sqlStatement } from '../statement/statement.js';
import { searchPath } from './database-schema.js';

/**
 * Settings of every session, which override those of the cluster, database and role. Read committed, because the batch statement relies on
 * its re-checks; generic plans and no sequential scans, because every statement uses an index and planning would cost more than execution.
 * Only default_transaction_read_only is left to the administrator: failover managers use it to keep a primary read-only until its
 * predecessor has ended.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  idle_in_transaction_session_timeout: '30s',
  idle_session_timeout: '0',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_indexscan: 'on',
  enable_nestloop: 'on',
  enable_partition_pruning: 'on',
  jit: 'off',
  work_mem: '16MB',
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  // Names that statements read from the catalogue as text are compared.
  quote_all_identifiers: 'off',
  // A policy that hides rows causes an error instead of an empty list.
  row_security: 'off',
  client_min_messages: 'warning',
};

/** An acknowledged write is on disk, and on the standbys that the cluster names. The stricter 'remote_apply' is kept. */
export const SYNCHRONOUS_COMMIT = `case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end`;

/** Time limits of a session's statements, which PostgreSQL enforces. */
export interface SettingLimits {
  readonly statementMs: number;
  /** Longest wait for a lock; by default, the statement's limit. */
  readonly lockMs?: number;
}

/** Builds one statement that applies all settings to the session. */
export function sessionSettings(limits: SettingLimits, schema: string): string {
  const settings = { ...settingsWith(limits), search_path: searchPath(schema) };
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value)}, false)`);
  return `select ${[...calls, ...computed(false)].join(', ')}`;
}

/** The beginning of each transaction on a connection without a session of its own. */
interface TransactionSettings {
  /** Replaces a plain `begin`: session defaults set within the transaction would come too late for it. */
  readonly begin: string;
  /** Statements after `begin`. After `reading`, the transaction still has no snapshot. */
  readonly reading: string;
  readonly writing: string;
}

/** Builds the statements that apply all settings to one transaction. Without a `schema`, the search_path is that of the role. */
export function transactionSettings(limits: SettingLimits, schema: string | undefined): TransactionSettings {
  const settings = Object.entries(settingsWith(limits)).map(([name, value]) => `set local ${name} = '${value}'`);
  // A `default` without quotes: a quoted one would be the name of a schema.
  const reading = [...settings, `set local search_path = ${schema === undefined ? 'default' : searchPath(schema)}`].join('; ');
  return { begin: 'begin isolation level read committed', reading, writing: `${reading}; select ${computed(true).join(', ')}` };
}

function settingsWith({ statementMs, lockMs = 0 }: SettingLimits): Readonly<Record<string, string>> {
  return { ...SETTINGS, statement_timeout: `${statementMs}ms`, lock_timeout: `${lockMs}ms` };
}

/** Settings whose values depend on the server. */
function computed(local: boolean): string[] {
  return [
    `set_config('synchronous_commit', ${SYNCHRONOUS_COMMIT}, ${local})`,
    // Only newer versions of PostgreSQL have it.
    `(select set_config(name, '0', ${local}) from pg_settings where name = 'transaction_timeout')`,
    // What a killed process has sent leaves the queue for a lock. Other systems than Linux may refuse the setting.
    `(select set_config('client_connection_check_interval', '500ms', ${local}) where version() like '%linux%')`,
  ];
}

/** The name of the row of server_state that tells this installation from others. */
export const INSTALLATION_NAME = 'installation';

/** SQL: the installation in these tables; null where no server has named it yet. */
export const INSTALLATION = `(select value from server_state where name = '${INSTALLATION_NAME}')`;

/** Query for the facts of a session. `identify`: includes the cluster; `installed`: includes the installation. */
export function sessionFacts(identify: boolean, installed: boolean): string {
  const identifier = identify ? '(select system_identifier::text from pg_control_system())' : 'null';
  return `select ${identifier} as system_identifier, pg_is_in_recovery() as in_recovery,
    current_setting('transaction_read_only')::boolean as read_only${installed ? `, ${INSTALLATION} as installation` : ''}`;
}

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

type Done = (error: Error | null, result?: pg.QueryResult) => void;
type Send = (query: pg.QueryConfig, done: Done) => void;

const BEGIN = /^\s*begin\b/i;
const PLAIN = /^\s*begin\s*$/i;
const READING = /\bread only\b/i;
const END = /^\s*(commit|rollback)\b/i;
/** Statements that PostgreSQL rejects within a transaction. They run without the settings, so they must qualify names with the schema. */
const ALONE = /\bconcurrently\b/i;

/**
 * Makes a connection work without a session of its own: each single statement becomes a transaction that begins with `settings`, which is
 * called each time, and so does each transaction that is begun explicitly. Everything is sent at once and takes one round trip, for which
 * the connection must be in pg's pipeline mode. Statements have no names, since the next transaction may run in a session that does not
 * know them.
 */
export function eachInTransaction(client: pg.ClientBase, settings: () => TransactionSettings): void {
  const send = client.query.bind(client) as unknown as Send;
  let byHand = false;

  const run = (query: pg.QueryConfig, done: Done): void => {
    if (BEGIN.test(query.text)) {
      byHand = true;
      const { begin: plain, reading, writing } = settings();
      const begin = PLAIN.test(query.text) ? plain : query.text;
      return send({ text: `${begin}; ${READING.test(begin) ? reading : writing}` }, done);
    }
    if (END.test(query.text)) byHand = false;
    else if (!byHand && !ALONE.test(query.text)) return alone(query, done);
    send(query, done);
  };

  /** After an error, the commit is a rollback. Its response is awaited: then the session is ready, and the error is certain. */
  const alone = (query: pg.QueryConfig, done: Done): void => {
    let failure: Error | null = null;
    let result: pg.QueryResult | undefined;
    const { begin, writing } = settings();
    send({ text: `${begin}; ${writing}` }, (error) => (failure = error));
    send(query, (error, answer) => {
      failure ??= error;
      result = answer;
    });
    send({ text: 'commit' }, (error) => done(failure ?? error, result));
  };

  const query = (given: string | pg.QueryConfig, values?: unknown[] | Done, callback?: Done): Promise<pg.QueryResult> | undefined => {
    const config = withoutName(given, values);
    const done = typeof values === 'function' ? values : callback;
    if (done) return void run(config, done);
    return new Promise((resolve, reject) => run(config, (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult))));
  };
  Object.assign(client, { query });
}

function withoutName(given: string | pg.QueryConfig, values: unknown): pg.QueryConfig {
  const { name: _, ...config } = typeof given === 'string' ? { text: given, name: undefined } : given;
  return Array.isArray(values) ? { ...config, values } : config;
}
