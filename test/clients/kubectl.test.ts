import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServerProcess } from '../support/server-process.js';
import { startServerProcess } from '../support/server-process.js';
import { ClientProcess } from './client-process.js';
import { describeWith } from './toolchain.js';

const run = promisify(execFile);

describeWith('kubectl', ['version', '--client'], 'kubectl', () => {
  let server: ServerProcess;
  let home: string;
  const common = () => [`--kubeconfig=${path.join(server.dataDir, 'admin.kubeconfig')}`, `--cache-dir=${home}`];
  const kubectl = async (...args: string[]) => (await run('kubectl', [...common(), ...args])).stdout;
  const create = (document: unknown) =>
    new Promise<string>((resolve, reject) => {
      const child = spawn('kubectl', [...common(), 'create', '--validate=false', '-f', '-'], { stdio: ['pipe', 'pipe', 'pipe'] });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.on('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(output))));
      child.stdin.end(JSON.stringify(document));
    });
  const lease = (name: string, holderIdentity: string) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, labels: { app: 'kubectl-test' } },
    spec: { holderIdentity, leaseDurationSeconds: 15 },
  });

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'kubectl-cache-'));
    server = await startServerProcess();
  });
  afterAll(async () => {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  });

  test('creates, gets and lists leases with their columns', async () => {
    expect(await create(lease('printed', 'me'))).toContain('lease.coordination.k8s.io/printed created');
    const table = await kubectl('get', 'leases');
    expect(table).toMatch(/^NAME\s+HOLDER\s+AGE\nprinted\s+me\s+\d+s\n$/);
    expect(await kubectl('get', 'lease', 'printed', '-o', 'jsonpath={.spec.leaseDurationSeconds}')).toBe('15');
    expect(await kubectl('get', 'leases', '-A', '-l', 'app=kubectl-test', '-o', 'name')).toBe('lease.coordination.k8s.io/printed\n');
  });

  test('describes a lease', async () => {
    await create(lease('described', 'someone'));
    const text = await kubectl('describe', 'lease', 'described');
    expect(text).toContain('Holder Identity:         someone');
    expect(text).toContain('Namespace:    default');
  });

  test('watches leases come and go', async () => {
    const watch = new ClientProcess('kubectl', [
      ...common(),
      'get',
      'leases',
      '-w',
      '--output-watch-events',
      '-o',
      'name',
      '--field-selector',
      'metadata.name=watched',
    ]);
    try {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await create(lease('watched', 'a'));
      await watch.line(/^ADDED\s+lease\S*\/watched/);
      await kubectl('delete', 'lease', 'watched');
      await watch.line(/^DELETED\s+lease\S*\/watched/);
    } finally {
      await watch.kill();
    }
  });

  test('deletes leases one by one, all of them, and with their namespace', async () => {
    await create(lease('deleted', 'a'));
    expect(await kubectl('delete', 'lease', 'deleted')).toContain('"deleted" deleted');
    await expect(kubectl('get', 'lease', 'deleted')).rejects.toThrow(
      'Error from server (NotFound): leases.coordination.k8s.io "deleted" not found',
    );
    await kubectl('create', 'namespace', 'gone');
    await create({ ...lease('inside', 'a'), metadata: { name: 'inside', namespace: 'gone' } });
    await kubectl('delete', 'namespace', 'gone');
    expect(await kubectl('get', 'namespaces', '-o', 'name')).not.toContain('gone');
    await kubectl('delete', 'leases', '--all');
    expect(await kubectl('get', 'leases', '-o', 'name')).toBe('');
  });

  test('ends a deletion with --cascade=foreground', async () => {
    await create(lease('cascade', 'a'));
    await kubectl('delete', 'lease', 'cascade', '--cascade=foreground', '--timeout=30s');
    await expect(kubectl('get', 'lease', 'cascade')).rejects.toThrow('not found');
  }, 60_000);
});
