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
  lock_timeout: '0',
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
const SYNCHRONOUS_COMMIT = `set_config('synchronous_commit', case current_setting('synchronous_commit')
    when 'remote_apply' then 'remote_apply' else 'on' end, false)`;

/** Of newer versions of PostgreSQL. */
const TRANSACTION_TIMEOUT = `(select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout')`;

export interface SessionOptions {
  readonly statementTimeoutMs: number;
  readonly schema: string;
  /** Asks for the cluster too. */
  readonly identify: boolean;
}

/** One statement that sets them all, and tells what the session leads to. */
export function sessionSettings({ statementTimeoutMs, schema, identify }: SessionOptions): string {
  const settings = { ...SETTINGS, statement_timeout: `${statementTimeoutMs}ms`, search_path: searchPath(schema) };
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value)}, false)`);
  const identifier = identify ? '(select system_identifier::text from pg_control_system())' : 'null';
  return `select ${[...calls, SYNCHRONOUS_COMMIT, TRANSACTION_TIMEOUT].join(', ')},
    ${identifier} as system_identifier, pg_is_in_recovery() as in_recovery,
    current_setting('transaction_read_only')::boolean as read_only`;
}
