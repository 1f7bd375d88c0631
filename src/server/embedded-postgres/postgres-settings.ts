/** Server settings by name, as `postgres -c name=value` takes them. */
export type PostgresSettings = Readonly<Record<string, string>>;

/** Required whatever else is tuned: an acknowledged write survives a crash of the process, the kernel or the power. */
const DURABLE_SETTINGS: PostgresSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
};

/** Tuned for one server process with some thousand small rows that are rewritten often. */
export const EMBEDDED_SETTINGS: PostgresSettings = {
  ...DURABLE_SETTINGS,
  // Reachable only through a socket file in a private directory.
  listen_addresses: '',
  // Holds the whole current state; the rest of the machine's memory is left to the server.
  shared_buffers: '64MB',
  max_connections: '50',
  // After a checkpoint, the first change of each page writes the whole page, so rare checkpoints save most of the WAL.
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  // What is evicted is written back soon, a little at a time. Otherwise it piles up until the end of a checkpoint, and commits wait meanwhile.
  backend_flush_after: '256kB',
  // Every statement is short and prepared; JIT compilation never pays.
  jit: 'off',
  // Hot rows are pruned on access (HOT); the little that remains must not pile up between the default minutes.
  autovacuum_naptime: '15s',
  log_min_messages: 'warning',
  log_timezone: 'UTC',
  timezone: 'UTC',
};
