import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWith } from '../../clients/toolchain.js';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { ask } from '../../support/http-client.js';
import { scrapeUntil } from '../../support/scrape.js';
import type { ServerProcess } from '../../support/server-process.js';
import { startServerProcess } from '../../support/server-process.js';
import { createTestDatabase } from '../../support/test-database.js';
import type { TestDatabase } from '../../support/test-database.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const PGBOUNCER = { program: 'pgbouncer', version: ['--version'], atLeast: '1.18' };

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
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

/** It refuses to work as root. */
function notRoot(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
}

describeWith([PGBOUNCER], 'behind PgBouncer in session mode', () => {
  let database: TestDatabase;
  /** The tests' PostgreSQL may be reachable by a socket of its user alone. */
  let way: DatabaseProxy;
  let folder: string;
  let bouncer: ChildProcess;
  let exited: Promise<unknown>;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    way = await DatabaseProxy.start(database.url);
    const { host, port, user = '', password = '', database: name = '' } = new pg.Client(way.url(database.url));
    folder = mkdtempSync(path.join(tmpdir(), 'pgbouncer-'));
    chmodSync(folder, 0o755);
    const listen = await freePort();
    const settings = {
      pool_mode: process.env['POOL_MODE'] ?? 'session',
      listen_addr: '127.0.0.1',
      listen_port: listen,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: path.join(folder, 'users'),
      default_pool_size: 40,
      max_client_conn: 200,
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
    writeFileSync(path.join(folder, 'users'), `"${user}" "${password}"\n`);
    writeFileSync(path.join(folder, 'ini'), `[databases]\n${name} = host=${host} port=${port}\n[pgbouncer]\n${lines.join('\n')}\n`);
    bouncer = spawn('pgbouncer', [path.join(folder, 'ini')], { stdio: 'ignore', ...notRoot() });
    exited = once(bouncer, 'exit');
    await untilOpen(listen);
    const url = `postgresql://${user}:${password}@127.0.0.1:${listen}/${name}`;
    for (let count = 0; count < 2; count++) servers.push(await startServerProcess({ databaseUrl: url }));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    bouncer.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true });
    await way.close();
    await database.drop();
  });

  test('two servers write, and hear of each other by notification', async () => {
    const [one, other] = servers as [ServerProcess, ServerProcess];
    const body = { metadata: { name: 'pooled' }, spec: { holderIdentity: 'a' } };
    expect((await ask(`${one.url}${LEASES}`, { method: 'POST', body })).status).toBe(201);
    for (const server of servers) await scrapeUntil(server.url, 'coordination_database_listening 1');
    for (let round = 0; round < 20; round++) {
      const { json } = await ask(`${other.url}${LEASES}/pooled`);
      const renewed = await ask(`${one.url}${LEASES}/pooled`, { method: 'PUT', body: { ...json, spec: { holderIdentity: `b${round}` } } });
      expect(renewed.status).toBe(200);
    }
    expect((await ask(`${other.url}${LEASES}/pooled`)).json).toMatchObject({ spec: { holderIdentity: 'b19' } });
  }, 60_000);
});
