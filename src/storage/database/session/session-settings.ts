import pg from 'pg';
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
export interface TransactionSettings {
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
