import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePorts } from '../failover/cluster/free-ports.js';
import { DatabaseProxy } from '../integration/storage/database-proxy.js';

export type PoolMode = 'session' | 'transaction' | 'statement';

/** How many sessions of PostgreSQL the clients of a database share. */
export const POOL_SIZE = 40;

/** A PgBouncer in front of every database of a PostgreSQL; it knows the user of the URL. */
export interface PgBouncer extends AsyncDisposable {
  /** The URL of the same database through PgBouncer. */
  url(databaseUrl: string): string;
  /** Clients can connect and ask, and are not answered until `resume`. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Runs Debian's program with this `pool_mode` on a free port of the loopback interface. `roles` have their names as passwords. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: PoolMode,
  { poolSize = POOL_SIZE, roles = [] }: { readonly poolSize?: number; readonly roles?: readonly string[] } = {},
): Promise<PgBouncer> {
  // the tests' PostgreSQL may be reachable only through a socket of its user
  const way = await DatabaseProxy.start(databaseUrl);
  const { host, port, user = '', password = '' } = new pg.Client(way.url(databaseUrl));
  const folder = mkdtempSync(path.join(tmpdir(), 'pgbouncer-'));
  chmodSync(folder, 0o755);
  const [listen = 0] = await freePorts(1);
  const settings = {
    pool_mode: mode,
    listen_addr: '127.0.0.1',
    listen_port: listen,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: path.join(folder, 'users'),
    default_pool_size: poolSize,
    max_client_conn: 1000,
    server_idle_timeout: 10,
    // after a failed connection it refuses clients for so many seconds
    server_login_retry: 1,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
  writeFileSync(
    path.join(folder, 'users'),
    [[user, password], ...roles.map((role) => [role, role])].map((pair) => `${pair.map((word) => `"${word}"`).join(' ')}\n`).join(''),
  );
  writeFileSync(path.join(folder, 'ini'), `[databases]\n* = host=${host} port=${port}\n[pgbouncer]\n${lines.join('\n')}\n`);
  const bouncer = spawn('pgbouncer', [path.join(folder, 'ini')], { stdio: 'ignore', ...notRoot() });
  const exited = once(bouncer, 'exit');
  await untilOpen(listen);
  const stop = async () => {
    bouncer.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true });
    await way.close();
  };
  return {
    url: (url) => `postgresql://${user}:${password}@127.0.0.1:${listen}/${new pg.Client(url).database ?? ''}`,
    pause: () => void bouncer.kill('SIGUSR1'),
    resume: () => void bouncer.kill('SIGUSR2'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return void socket.destroy();
    } catch (error) {
      if (tries > 100) throw error;
      await sleep(100);
    }
  }
}

/** PgBouncer refuses to run as root. */
function notRoot(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
}
