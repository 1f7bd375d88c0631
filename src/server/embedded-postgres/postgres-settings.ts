/** Server settings by name, as `postgres -c name=value` takes them. */
export type PostgresSettings = Readonly<Record<string, string>>;

/** What must hold whatever else is tuned: an acknowledged write survives a crash of process, kernel or power. */
export const DURABLE_SETTINGS: PostgresSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
};

/** For one server process that keeps some thousand small, often rewritten rows. */
export const EMBEDDED_SETTINGS: PostgresSettings = {
  ...DURABLE_SETTINGS,
  // Reached through a socket file in a private directory only.
  listen_addresses: '',
  // The whole current state fits; the machine's memory is the server's, not ours.
  shared_buffers: '64MB',
  max_connections: '50',
  // A checkpoint makes the next change of each page write the page in full: rare checkpoints save most of the WAL.
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  // Every statement is short and prepared: compiling one never pays.
  jit: 'off',
  // Hot rows are pruned in passing (HOT); the rest is little, but must not pile up between the default minutes.
  autovacuum_naptime: '15s',
  log_min_messages: 'warning',
  log_timezone: 'UTC',
  timezone: 'UTC',
};
