import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPostmasterOf, processExists, readPostmasterFile } from '../../../src/server/embedded-postgres/postmaster-pid.js';
import { createTestDatabase } from '../../support/test-database.js';
import type { TestDatabase } from '../../support/test-database.js';
import { ask, createLease, leaseNames, scratchDirectory, ServerRun } from './server-run.js';

const base = scratchDirectory();
let database: TestDatabase;
let dataDir: string;
let count = 0;
beforeEach(async () => {
  dataDir = path.join(base, `data-${count++}`);
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const start = (...flags: string[]): ServerRun =>
  new ServerRun(['--workers=2', '--bind-address=127.0.0.1', '--secure-port=0', `--data-dir=${dataDir}`, ...flags], {
    environment: { DATABASE_URL: database.url },
  });

/** The child processes of a server that are still running. */
function workersOf({ child }: ServerRun): number[] {
  const list = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return list.split(' ').filter(Boolean).map(Number);
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await sleep(20);
  }
}

/** The values of a series, summed by worker. */
async function byWorker(url: string, series: RegExp): Promise<Map<string, number>> {
  const { body } = await ask(`${url}/metrics`, dataDir);
  const values = new Map<string, number>();
  for (const line of body.split('\n').filter((each) => series.test(each))) {
    const worker = /worker="(\d+)"/.exec(line)?.[1] ?? '';
    values.set(worker, (values.get(worker) ?? 0) + Number(line.split(' ').at(-1)));
  }
  return values;
}

test('two workers share the connections to one port, and each reports the metrics of both', async () => {
  const run = start('--audit-log-path=-');
  const url = await run.ready();
  expect(run.stdout.match(/serving at/g)).toHaveLength(1);
  expect(workersOf(run)).toHaveLength(2);
  await Promise.all(Array.from({ length: 40 }, () => leaseNames(url, dataDir)));
  const served = (): Promise<Map<string, number>> => byWorker(url, /^apiserver_request_total\{(?=.*resource="leases")(?=.*verb="LIST")/);
  await until('every request is counted once', async () => [...(await served()).values()].reduce((sum, each) => sum + each, 0) === 40);
  expect([...(await served()).keys()].sort()).toEqual(['1', '2']);
  expect([...(await byWorker(url, /^coordination_build_info/)).values()]).toEqual([1, 1]);

  const audited = (): string[] =>
    run.stdout.split('\n').filter((line) => line.startsWith('{') && line.includes('/namespaces/default/leases'));
  await until('all requests are audited', () => audited().length >= 40);
  for (const line of audited()) expect(() => JSON.parse(line) as unknown).not.toThrow();
  expect(await run.end('SIGTERM')).toBe(0);
});

test('a killed worker is replaced, the other keeps serving, and no acknowledged write is lost', async () => {
  const run = start();
  const url = await run.ready();
  const [victim = 0, survivor = 0] = workersOf(run);
  const acknowledged: string[] = [];
  let refused = 0;
  const write = async (name: string): Promise<void> => {
    try {
      await createLease(url, dataDir, name);
      acknowledged.push(name);
    } catch {
      refused += 1;
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, at) => write(`before-${at}`)));
  const during = Array.from({ length: 20 }, (_, at) => write(`during-${at}`));
  process.kill(victim, 'SIGKILL');
  await Promise.all(during);
  expect(acknowledged.length + refused).toBe(30);
  await until('the worker is replaced', async () => (await byWorker(url, /^process_start_time_seconds/)).size === 2);
  const now = workersOf(run);
  expect(now).toHaveLength(2);
  expect(now).toContain(survivor);
  expect(run.stderr.split('\n').filter((line) => line.includes('a worker exited and is being replaced'))).toHaveLength(1);
  expect(await leaseNames(url, dataDir)).toEqual(expect.arrayContaining(acknowledged));
});

test('a stop signal lets all workers finish their requests', async () => {
  const run = start();
  const url = await run.ready();
  const workers = workersOf(run);
  const answers = Array.from({ length: 30 }, (_, at) => createLease(url, dataDir, `lease-${at}`));
  await answers[0];
  const ended = run.end('SIGTERM');
  const settled = await Promise.allSettled(answers);
  expect(await ended).toBe(0);
  expect(workers.filter(processExists)).toEqual([]);

  const names = await leaseNames(await start('--workers=1').ready(), dataDir);
  settled.forEach(({ status }, at) => {
    if (status === 'fulfilled') expect(names).toContain(`lease-${at}`);
  });
});

test('workers end when the supervisor is killed, and the next start takes over their port', async () => {
  const run = start();
  const url = await run.ready();
  await createLease(url, dataDir, 'kept');
  const workers = workersOf(run);
  expect(workers).toHaveLength(2);
  run.child.kill('SIGKILL');
  await until('the workers have ended', () => !workers.some(processExists));

  const next = start(`--secure-port=${new URL(url).port}`);
  expect(await next.ready()).toBe(url);
  expect(await leaseNames(url, dataDir)).toEqual(['kept']);
});

test('a start error is reported once, with exit code 1', async () => {
  const failure = async (...flags: string[]): Promise<string> => {
    const run = start(...flags);
    expect(await run.ended).toBe(1);
    expect(run.stdout).toBe('');
    return run.stderr.replace(/^\{.*\n/gm, '');
  };
  expect(await failure('--workers=-1')).toBe('error: invalid value -1 for --workers: must be between 0 and 256\n');
  expect(await failure('--token-auth-file=/no/such/file')).toMatch(/^error: cannot read --token-auth-file: ENOENT.*\n$/);
  const other = start();
  const { port } = new URL(await other.ready());
  dataDir = `${dataDir}-other`;
  expect(await failure(`--secure-port=${port}`)).toBe(`error: cannot listen on 127.0.0.1:${port}: the address is already in use\n`);
});

test('the server ends with the reason when no worker is left and none can start', async () => {
  const tokens = path.join(base, 'tokens.csv');
  writeFileSync(tokens, 'secret,admin,admin\n');
  const run = start(`--token-auth-file=${tokens}`);
  await run.ready();
  rmSync(tokens);
  for (const pid of workersOf(run)) process.kill(pid, 'SIGKILL');
  expect(await run.ended).toBe(1);
  expect(run.stderr.replace(/^\{.*\n/gm, '')).toMatch(/^error: cannot read --token-auth-file: ENOENT.*\n$/);
});

test('workers share the embedded PostgreSQL, which stops after them', async () => {
  const run = new ServerRun(['--workers=2', '--secure-port=0', `--data-dir=${dataDir}`]);
  const url = await run.ready();
  await Promise.all(Array.from({ length: 10 }, (_, at) => createLease(url, dataDir, `lease-${at}`)));
  expect(await leaseNames(url, dataDir)).toHaveLength(10);
  expect(await run.end('SIGINT')).toBe(0);
  const cluster = path.join(dataDir, 'postgres', 'data');
  const left = readPostmasterFile(cluster);
  expect(left !== undefined && isPostmasterOf(left.pid, cluster)).toBe(false);
});
