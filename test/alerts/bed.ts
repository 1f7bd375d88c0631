import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { DatabaseProxy } from '../integration/storage/database-proxy.js';
import { rowsOf } from '../support/connected.js';
import { ask } from '../support/http-client.js';
import { MovedClock } from '../support/moved-clock.js';
import { postgresUnderTest } from '../support/postgres-under-test.js';
import { PROGRAM } from '../support/program-under-test.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TOKENS = ['admin-token,admin,admin,"system:masters"', 'nobody-token,nobody,nobody'];

/** Two servers on a PostgreSQL of their own, whose disk is small: the first one behind a proxy, and with a clock that can be moved. */
export class Bed {
  readonly clock = new MovedClock();
  postgres!: EmbeddedPostgres;
  proxy!: DatabaseProxy;
  servers: ServerProcess[] = [];
  readonly #ports: readonly [number, number];
  readonly disk: string;
  readonly #hasDisk: boolean;

  constructor(dir: string, port: number) {
    this.disk = mkdtempSync(path.join(dir, 'disk-'));
    this.#ports = [port, port + 1];
    this.#hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=755', 'tmpfs', this.disk]).status === 0;
  }

  async start(): Promise<void> {
    this.postgres = postgresUnderTest({ dir: path.join(this.disk, 'postgres'), settings: { min_wal_size: '32MB', max_wal_size: '48MB' } });
    this.postgres.onUnexpectedExit(() => undefined);
    await this.postgres.start();
    this.proxy = await DatabaseProxy.start(this.postgres.url());
    for (const at of [0, 1] as const) await this.startServer(at);
  }

  async startServer(at: 0 | 1): Promise<void> {
    const dataDir = path.join(this.disk, '..', `${path.basename(this.disk)}-${at}`);
    mkdirSync(dataDir, { recursive: true });
    this.servers[at] = await startServerProcess({
      databaseUrl: at === 0 ? this.proxy.url(this.postgres.url()) : this.postgres.url(),
      tokens: TOKENS,
      flags: ['--authorization-mode=RBAC', '--compaction-interval=10s', '--max-bytes=0'],
      ...{ port: this.#ports[at], dataDir },
      ...(at === 0 && { nodeFlags: this.clock.nodeFlags }),
    });
  }

  get url(): string {
    return this.servers[1]!.url;
  }

  /** Writes a lease at a server, the second by default. */
  async write(name: string, spec: object, at: 0 | 1 = 1, token = 'admin-token'): Promise<number> {
    const url = `${this.servers[at]!.url}${LEASES}`;
    const headers = { authorization: `Bearer ${token}` };
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec };
    const made = await ask(url, { method: 'POST', headers, body });
    if (made.status !== 409) return made.status;
    const patch = { ...headers, 'content-type': 'application/merge-patch+json' };
    return (await ask(`${url}/${name}`, { method: 'PATCH', headers: patch, body: { spec } })).status;
  }

  sql(text: string): Promise<object[]> {
    return rowsOf(this.postgres.url(), text);
  }

  /** What a command of the program says, as the text of an alert names it, on the machine of a server. */
  run(command: string, at: 0 | 1 = 1): string {
    const database = ['--database-url', at === 0 ? this.proxy.url(this.postgres.url()) : this.postgres.url()];
    const kubeconfig = path.join(this.servers[at]!.dataDir, 'admin.kubeconfig');
    const words = command.split(' ');
    const isOfServer = words[1] === 'lease' || words[0] === 'health';
    const place = words[0] === 'health' ? ['--data-dir', this.servers[at]!.dataDir] : ['--kubeconfig', kubeconfig];
    const args = [
      ...(at === 0 ? this.clock.nodeFlags : []),
      PROGRAM,
      ...words,
      ...(isOfServer ? place : [...database, '--data-dir', path.join(this.disk, 'none')]),
    ];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
    return stdout + stderr;
  }

  kubectl(command: string): string {
    const kubeconfig = path.join(this.servers[1]!.dataDir, 'admin.kubeconfig');
    return execFileSync('kubectl', ['--kubeconfig', kubeconfig, ...command.split(' ')], { encoding: 'utf8' });
  }

  log(at: 0 | 1 = 1): string {
    return this.servers[at]!.output();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) await server.kill();
    await this.proxy.close();
    await this.postgres.stop();
    if (this.#hasDisk) execFileSync('umount', ['-l', this.disk]);
    rmSync(this.disk, { recursive: true, force: true });
    for (const at of [0, 1]) rmSync(`${this.disk}-${at}`, { recursive: true, force: true });
    this.clock[Symbol.dispose]();
  }
}
