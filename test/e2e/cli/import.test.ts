import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { forAllTests } from '../../support/for-tests.js';
import { ask, Http2Client } from '../../support/http-client.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { failureOf, runCommand } from './run-command.js';

const scratch = scratchDirectory();
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/jobs/leases';
const source = forAllTests(() => startServerProcess());
const target = forAllTests(() => startServerProcess());

beforeAll(async () => {
  await ask(`${source.url}/api/v1/namespaces`, { method: 'POST', body: { metadata: { name: 'jobs' } } });
  const names = Array.from({ length: 520 }, (_, at) => `lease-${at}`);
  const client = new Http2Client(source.url);
  const created = await Promise.all(names.map((name) => client.ask(LEASES, { method: 'POST', body: lease(name) })));
  client.close();
  expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
  const candidate = {
    metadata: { name: 'candidate' },
    spec: { leaseName: 'l', strategy: 'OldestEmulationVersion', binaryVersion: '1.0.0', emulationVersion: '1.0.0' },
  };
  const path_ = '/apis/coordination.k8s.io/v1beta1/namespaces/jobs/leasecandidates';
  expect((await ask(`${source.url}${path_}`, { method: 'POST', body: candidate })).status).toBe(201);
});

const lease = (name: string): object => ({
  metadata: { name, labels: { of: 'test' } },
  spec: { holderIdentity: 'first', leaseDurationSeconds: 15 },
});

const kubeconfig = (server: ServerProcess): string => path.join(server.dataDir, 'admin.kubeconfig');
const importFlags = (): string[] => [
  'import',
  '--from-kubeconfig',
  kubeconfig(source),
  '--data-dir',
  target.dataDir,
  '--namespace',
  'jobs',
];

test('import copies leases and candidates with namespace, labels and spec, and keeps or replaces existing ones', async () => {
  const dry = await runCommand([...importFlags(), '--dry-run', '-o', 'json']);
  expect([dry.code, JSON.parse(dry.stdout)]).toEqual([0, { created: 521, replaced: 0, skipped: 0 }]);
  expect((await ask(`${target.url}${LEASES}/lease-7`)).status).toBe(404);

  const first = await runCommand([...importFlags(), '-o', 'json']);
  expect([first.code, JSON.parse(first.stdout)]).toEqual([0, { created: 521, replaced: 0, skipped: 0 }]);
  const { json } = await ask(`${target.url}${LEASES}/lease-7`);
  expect(json).toMatchObject({ metadata: { labels: { of: 'test' } }, spec: { holderIdentity: 'first', leaseDurationSeconds: 15 } });
  expect(existsSync(path.join(target.dataDir, 'import-state.json'))).toBe(false);

  await ask(`${target.url}${LEASES}/lease-7`, { method: 'PUT', body: { ...json, spec: { holderIdentity: 'second' } } });
  expect(JSON.parse((await runCommand([...importFlags(), '-o', 'json'])).stdout)).toMatchObject({ skipped: 521 });
  expect((await ask(`${target.url}${LEASES}/lease-7`)).json).toMatchObject({ spec: { holderIdentity: 'second' } });
  expect(JSON.parse((await runCommand([...importFlags(), '-o', 'json', '--on-conflict', 'replace'])).stdout)).toMatchObject({
    replaced: 521,
  });
  expect((await ask(`${target.url}${LEASES}/lease-7`)).json).toMatchObject({ spec: { holderIdentity: 'first' } });
});

test('an interrupted import continues where it stopped', async () => {
  const page = await ask(`${source.url}${LEASES}?limit=500`);
  const state = path.join(target.dataDir, 'import-state.json');
  const begun = { source: source.url, namespace: 'jobs', done: [], resource: 'leases', continue: page.json.metadata?.continue };
  writeFileSync(state, JSON.stringify({ ...begun, created: 500, replaced: 0, skipped: 0 }));
  const { code, stdout, stderr } = await runCommand([...importFlags(), '-o', 'json']);
  expect([code, stderr]).toEqual([0, 'resuming an interrupted import\n']);
  expect(JSON.parse(stdout)).toEqual({ created: 500, replaced: 0, skipped: 21 });
  expect(existsSync(state)).toBe(false);

  writeFileSync(state, JSON.stringify({ ...begun, source: 'https://elsewhere', created: 0, replaced: 0, skipped: 0 }));
  expect(await failureOf(importFlags())).toMatch(/import-state\.json belongs to another import: remove it, or pass another --state file$/);
});

test('export writes manifests that another server accepts', async () => {
  const { code, stdout } = await runCommand(['export', '--data-dir', source.dataDir, '--namespace', 'jobs']);
  const list = parse(stdout) as { kind: string; items: { kind: string; metadata: object }[] };
  expect([code, list.kind, list.items.length]).toEqual([0, 'List', 521]);
  expect(new Set(list.items.map(({ kind }) => kind))).toEqual(new Set(['Lease', 'LeaseCandidate']));
  expect(Object.keys(list.items[0]?.metadata ?? {})).toEqual(['namespace', 'name', 'labels']);
});

test('a kubeconfig with an unreachable server is reported in one line', async () => {
  expect(await failureOf(['import', '--from-kubeconfig', path.join(scratch, 'none')])).toMatch(
    /^error: cannot read the kubeconfig .*ENOENT/,
  );
  const flags = [...importFlags(), '--from-context', 'nothing', '--state', path.join(scratch, 'state')];
  expect(await failureOf(flags)).toMatch(/has no context "nothing"$/);
});
