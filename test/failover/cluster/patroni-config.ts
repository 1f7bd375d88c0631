import type { Endpoint } from '../../support/tcp-link.js';

export interface PatroniConfigOptions {
  readonly name: string;
  readonly dir: string;
  readonly binDir: string;
  /** The endpoints of PostgreSQL and of the REST interface. */
  readonly endpoint: Endpoint;
  readonly restPort: number;
  /** The ports of PostgreSQL and of the REST interface as announced to the others. */
  readonly advertisedPort: number;
  readonly advertisedRestPort: number;
  readonly etcdPort: number;
  readonly synchronous: boolean;
}

export const SCOPE = 'torture';

/** Short, but within Patroni's rule: loop_wait + 2 * retry_timeout <= ttl. */
const TIMINGS = { ttl: 5, loop_wait: 1, retry_timeout: 2 };

const PARAMETERS = {
  max_connections: 60,
  shared_buffers: '32MB',
  wal_log_hints: 'on',
  min_wal_size: '4MB',
  wal_keep_size: '48MB',
  max_wal_size: '64MB',
  hot_standby: 'on',
  checkpoint_completion_target: 0,
  wal_sender_timeout: '3s',
  wal_receiver_timeout: '3s',
  wal_retrieve_retry_interval: '500ms',
  log_line_prefix: '%m [%p] %q%u@%d %a ',
};

/** A node's patroni.yml; JSON is valid YAML. */
export function patroniConfig(options: PatroniConfigOptions): string {
  const { name, dir, binDir, endpoint, restPort, advertisedPort, advertisedRestPort, etcdPort, synchronous } = options;
  const login = (username: string) => ({ username, password: 'torture' });
  return JSON.stringify(
    {
      scope: SCOPE,
      name,
      restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${advertisedRestPort}` },
      watchdog: { mode: 'off' },
      etcd3: { hosts: [`127.0.0.1:${etcdPort}`], use_proxies: true },
      bootstrap: {
        dcs: {
          ...TIMINGS,
          maximum_lag_on_failover: 1_048_576,
          // A crashed primary is replaced immediately.
          primary_start_timeout: 0,
          synchronous_mode: synchronous,
          synchronous_mode_strict: synchronous,
          postgresql: { use_pg_rewind: true, use_slots: false, parameters: PARAMETERS },
        },
        // Small segments, because pg_rewind copies all existing ones.
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { 'wal-segsize': '1' }, 'data-checksums'],
      },
      postgresql: {
        listen: `${endpoint.host}:${endpoint.port}`,
        connect_address: `127.0.0.1:${advertisedPort}`,
        bin_dir: binDir,
        data_dir: `${dir}/data`,
        pgpass: `${dir}/pgpass`,
        authentication: { superuser: login('postgres'), replication: login('replicator'), rewind: login('rewind') },
        parameters: { unix_socket_directories: dir },
        pg_hba: ['local all all trust', 'host all all 127.0.0.0/8 trust', 'host replication all 127.0.0.0/8 trust'],
        basebackup: ['no-sync', { checkpoint: 'fast' }],
        remove_data_directory_on_rewind_failure: true,
        remove_data_directory_on_diverged_timelines: true,
      },
    },
    undefined,
    2,
  );
}
