/**
 * SQL, evaluated as the counter is locked: from then on, the transaction waits for any other lock this long at most, since all writes of all
 * servers wait with it. How long it waits for the counter itself is left to the session. A setting of the transaction, so that it also holds
 * behind a pooler; it costs about a microsecond.
 */
export function briefLocks(ms: number): string {
  return `set_config('lock_timeout', '${ms}ms', true) as lock_timeout`;
}
