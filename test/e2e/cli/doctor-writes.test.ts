import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { KUBECTL, whyNot } from '../../clients/toolchain.js';
import { eventually } from '../../support/eventually.js';
import { forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { startServerProcess } from '../../support/server-process.js';
import { createTestDatabase } from '../../support/test-database.js';
import { runCommand } from './run-command.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
/** What PostgreSQL answers to writes while its disk is full; reads go on. */
const FILL_DISK = `
  create function public.full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
  create trigger full_disk before insert or update on revision_counter for each statement execute function public.full_disk();
  create function public.full_disk_ddl() returns event_trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
  create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE') execute function public.full_disk_ddl()`;
const EMPTY_DISK = 'drop event trigger full_disk; drop trigger full_disk on revision_counter';

const database = forAllTests(() => createTestDatabase());
const server = forAllTests(() =>
  startServerProcess({ databaseUrl: database.url, flags: ['--runtime-config=history.coordination-apiserver.dev/v1=true'] }),
);
const admin = forAllTests(async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ nspname: string }>(
    `select nspname from pg_namespace n join pg_class c on c.relnamespace = n.oid where c.relname = 'revision_counter'`,
  );
  await client.query(`set search_path to ${pg.escapeIdentifier(rows[0]?.nspname ?? '')}`);
  return { query: (text: string) => client.query(text), close: () => client.end() };
});

const doctor = async (...words: string[]) => {
  const { code, stdout } = await runCommand(['doctor', ...words, '--data-dir', server.dataDir, '-o', 'json'], {
    ...(words.length === 0 && { COORDINATION_APISERVER_DATABASE_URL: database.url }),
  });
  const found = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
  return { code, of: (check: string) => found.find((each) => each.check === check) };
};
const create = (name: string) =>
  ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: 'x', leaseDurationSeconds: 600 } } });

test('doctor asks the running server and tries a write, and doctor lease tells what fails for everybody', async () => {
  expect((await create('held')).status).toBe(201);
  const before = await doctor();
  expect([before.of('server'), before.of('writes')]).toMatchObject([
    { state: 'ok', detail: expect.stringContaining(`${server.url}, of ${server.dataDir}, is ready`) },
    { state: 'ok', detail: expect.stringMatching(/^a write that was tried and rolled back took \d+ ms$/) },
  ]);
  expect((await doctor('lease', 'held')).of('asked in vain')).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('nobody asked'),
  });

  await admin.query(FILL_DISK);
  await eventually(async () => (await create('new')).status === 503);
  const full = await doctor();
  expect([full.code, full.of('writes'), full.of('server')]).toMatchObject([
    2,
    { state: 'problem', detail: 'a write that was tried fails: could not extend file: No space left on device' },
    { state: 'problem', detail: expect.stringMatching(/is not ready: .*writes: .*No space left on device/) },
  ]);
  const lease = await doctor('lease', 'held');
  expect([lease.code, lease.of('asked in vain')]).toMatchObject([
    2,
    {
      state: 'problem',
      detail: expect.stringMatching(/^everybody who asked for leases of this namespace \(create\), \d+ times: .* could not be completed/),
    },
  ]);

  await admin.query(EMPTY_DISK);
  await eventually(async () => (await create('later')).status === 201);
  expect((await doctor()).of('server')).toMatchObject({ state: 'ok' });
});

test('doctor and doctor lease tell that another program has the lease of the elected controllers, and the printed line frees it', async () => {
  const name = 'leader-election-controller';
  const lease = `${server.url}/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`;
  const look = async () => [(await doctor()).of('controllers'), (await doctor('lease', name, '-n', 'kube-system')).of('controllers')];
  await eventually(async () => (await look()).every((found) => found?.state === 'ok'));
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const headers = { 'content-type': 'application/merge-patch+json' };
  await ask(lease, { method: 'PATCH', headers, body: { spec: { holderIdentity: 'elsewhere', leaseDurationSeconds: 3_600, renewTime } } });
  const told = {
    state: 'problem',
    detail: expect.stringMatching(
      /^no server runs the elected ones: elsewhere has .*: run "kubectl delete lease leader-election-controller -n kube-system"$/,
    ),
  };
  await eventually(async () => (await look()).every((found) => found?.state === 'problem'));
  expect(await look()).toMatchObject([told, told]);
  const line = /run "(.*)"/.exec((await doctor()).of('controllers')?.detail ?? '')?.[1] ?? '';
  if (whyNot(KUBECTL) !== undefined) await ask(lease, { method: 'DELETE' });
  else execFileSync('bash', ['-c', line], { env: { ...process.env, KUBECONFIG: path.join(server.dataDir, 'admin.kubeconfig') } });
  await eventually(async () => (await look()).every((found) => found?.state === 'ok'));
});

test('doctor does not take a stopped server for a healthy one', async () => {
  server.signal('SIGSTOP');
  const { code, of } = await doctor();
  server.signal('SIGCONT');
  expect([code, of('server')]).toMatchObject([2, { state: 'problem', detail: expect.stringContaining('no answer within') }]);
});
