/**
 * Settings of every session. Read committed, because the batch statement relies on its re-checks; generic plans and no scans of whole
 * tables, because every statement goes by an index and planning would cost more than running it.
 */
export function sessionSettings(statementTimeoutMs: number): string {
  const settings: Record<string, string> = {
    default_transaction_isolation: 'read committed',
    default_transaction_read_only: 'off',
    statement_timeout: `${statementTimeoutMs}ms`,
    idle_in_transaction_session_timeout: '30s',
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    jit: 'off',
    work_mem: '16MB',
    timezone: 'UTC',
    client_min_messages: 'warning',
  };
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select ${calls.join(', ')}, (select system_identifier::text from pg_control_system()) as system_identifier, pg_is_in_recovery() as in_recovery`;
}
