import pg from 'pg';
import { searchPath } from './database-schema.js';

/**
 * Settings of every session, whatever the cluster, the database or the role say. Read committed, because the batch statement relies on its
 * re-checks; generic plans and no scans of whole tables, because every statement goes by an index and planning would cost more than running
 * it. What is left to the administrator is default_transaction_read_only: a manager of failovers keeps a primary read-only by it until the
 * one before has ended.
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
  // a policy that hides rows is an error, not an empty list
  row_security: 'off',
  client_min_messages: 'warning',
};

/** An acknowledged write is on disk, and at the standbys that the cluster names; 'remote_apply' is more than that, and stays. */
const SYNCHRONOUS_COMMIT = `case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end`;

/** Time limits of a session's statements, which PostgreSQL enforces. */
export interface SettingLimits {
  readonly statementMs: number;
  /** The longest wait for a lock; without, it is the statement's. */
  readonly lockMs?: number;
}

/** One statement that sets them all for the session. */
export function sessionSettings(limits: SettingLimits, schema: string): string {
  const settings = { ...settingsWith(limits), search_path: searchPath(schema) };
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value)}, false)`);
  return `select ${[...calls, ...computed(false)].join(', ')}`;
}

/** What a transaction begins with where that is all there is of a session. */
export interface TransactionSettings {
  /** What stands for a plain `begin`: defaults of a session would come too late for the transaction that sets them. */
  readonly begin: string;
  /** Statements for the rest of it. After `reading` the transaction is still without a snapshot. */
  readonly reading: string;
  readonly writing: string;
}

/** Without a `schema` the search_path is the role's. */
export function transactionSettings(limits: SettingLimits, schema: string | undefined): TransactionSettings {
  const settings = Object.entries(settingsWith(limits)).map(([name, value]) => `set local ${name} = '${value}'`);
  // a name and no text, which would be one with the quotes in it
  const reading = [...settings, `set local search_path = ${schema === undefined ? 'default' : searchPath(schema)}`].join('; ');
  return { begin: 'begin isolation level read committed', reading, writing: `${reading}; select ${computed(true).join(', ')}` };
}

function settingsWith({ statementMs, lockMs = 0 }: SettingLimits): Readonly<Record<string, string>> {
  return { ...SETTINGS, statement_timeout: `${statementMs}ms`, lock_timeout: `${lockMs}ms` };
}

/** Those that depend on what is there. */
function computed(local: boolean): string[] {
  return [
    `set_config('synchronous_commit', ${SYNCHRONOUS_COMMIT}, ${local})`,
    // of newer versions of PostgreSQL
    `(select set_config(name, '0', ${local}) from pg_settings where name = 'transaction_timeout')`,
  ];
}

/** What a session leads to. `identify`: asks for the cluster too. */
export function sessionFacts(identify: boolean): string {
  const identifier = identify ? '(select system_identifier::text from pg_control_system())' : 'null';
  return `select ${identifier} as system_identifier, pg_is_in_recovery() as in_recovery,
    current_setting('transaction_read_only')::boolean as read_only`;
}
