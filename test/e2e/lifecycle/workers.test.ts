import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAllTests, forAllTests, forEachTest } from '../../support/for-tests.js';
import { isPostmasterOf, processExists, readPostmasterFile } from '../../../src/server/embedded-postgres/postmaster-pid.js';
import { connected } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase } from '../../support/test-database.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { type RunOptions, ask, createLease, leaseNames, ServerRun } from './server-run.js';

const base = scratchDirectory();
let dataDir: string;
let count = 0;
beforeEach(() => {
  dataDir = path.join(base, `data-${count++}`);
});
const database = forEachTest(() => createTestDatabase());

interface StartOptions extends RunOptions {
  readonly url?: string;
  readonly dir?: string;
}

const start = ({ url = database.url, dir = dataDir, ...options }: StartOptions = {}, ...flags: string[]): ServerRun =>
  new ServerRun(['--workers=2', '--bind-address=127.0.0.1', '--secure-port=0', `--data-dir=${dir}`, ...flags], {
    environment: { DATABASE_URL: url },
    ...options,
  });

/** The child processes of a server that are still running. */
function workersOf({ child }: ServerRun): number[] {
  const list = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return list.split(' ').filter(Boolean).map(Number);
}

/** The values of a series, summed by worker. */
async function byWorker(url: string, dir: string, series: RegExp): Promise<Map<string, number>> {
  const { body } = await ask(`${url}/metrics`, dir);
  const values = new Map<string, number>();
  for (const line of body.split('\n').filter((each) => series.test(each))) {
    const worker = /worker="(\d+)"/.exec(line)?.[1] ?? '';
    values.set(worker, (values.get(worker) ?? 0) + Number(line.split(' ').at(-1)));
  }
  return values;
}

/** The paths of the leases in a database. */
async function leasesIn(databaseUrl: string): Promise<string[]> {
  await using client = await connected(databaseUrl);
  return (await client.query<{ path: string }>('select path from objects')).rows.map(({ path: at }) => at);
}

describe('two workers', () => {
  const own = path.join(base, 'two');
  let run: ServerRun;
  let url: string;
  const shared = forAllTests(() => createTestDatabase());
  beforeAll(async () => {
    run = start({ throughout: true, url: shared.url, dir: own }, '--audit-log-path=-');
    url = await run.ready();
  });
  afterAllTests(async () => {
    await run.end('SIGKILL');
  });

  test('share the connections to one port, and each reports the metrics of both', async () => {
    expect(run.stdout.match(/serving at/g)).toHaveLength(1);
    expect(workersOf(run)).toHaveLength(2);
    await Promise.all(Array.from({ length: 40 }, () => leaseNames(url, own)));
    const served = (): Promise<Map<string, number>> =>
      byWorker(url, own, /^apiserver_request_total\{(?=.*resource="leases")(?=.*verb="LIST")/);
    await eventually(async () => [...(await served()).values()].reduce((sum, each) => sum + each, 0) === 40);
    expect([...(await served()).keys()].sort()).toEqual(['1', '2']);
    expect([...(await byWorker(url, own, /^coordination_build_info/)).values()]).toEqual([1, 1]);

    const audited = (): string[] =>
      run.stdout.split('\n').filter((line) => line.startsWith('{') && line.includes('/namespaces/default/leases'));
    await eventually(() => audited().length >= 40);
    for (const line of audited()) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  test('keep serving while a killed one is replaced, and lose no acknowledged write', async () => {
    const [victim = 0, survivor = 0] = workersOf(run);
    const acknowledged: string[] = [];
    let refused = 0;
    const write = async (name: string): Promise<void> => {
      try {
        await createLease(url, own, name);
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
    await eventually(async () => (await byWorker(url, own, /^process_start_time_seconds/)).size === 2);
    const now = workersOf(run);
    expect(now).toHaveLength(2);
    expect(now).toContain(survivor);
    expect(run.stderr.split('\n').filter((line) => line.includes('a worker exited and is being replaced'))).toHaveLength(1);
    expect(await leaseNames(url, own)).toEqual(expect.arrayContaining(acknowledged));
  });

  test('replace one that was asked to stop, and log it as no error', async () => {
    const [asked = 0] = workersOf(run);
    process.kill(asked, 'SIGTERM');
    const logged = (): Record<string, unknown>[] =>
      run.stderr
        .split('\n')
        .filter((line) => line.includes(`"workerPid":${asked}`))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    await eventually(() => logged().some(({ msg }) => /being replaced/.test(String(msg))));
    expect(logged().filter(({ msg }) => /being replaced/.test(String(msg)))).toEqual([
      expect.objectContaining({ level: 'info', reason: 'it has finished its requests', msg: 'a worker stopped and is being replaced' }),
    ]);
    await eventually(async () => (await byWorker(url, own, /^process_start_time_seconds/)).size === 2);
  });

  test('that cannot start report why once, with exit code 1', async () => {
    const failure = async (...flags: string[]): Promise<string> => {
      const failed = start({}, ...flags);
      expect(await failed.ended).toBe(1);
      expect(failed.stdout).toBe('');
      return failed.stderr.replace(/^\{.*\n/gm, '');
    };
    expect(await failure('--workers=-1')).toBe('error: invalid value -1 for --workers: must be between 0 and 256\n');
    expect(await failure('--token-auth-file=/no/such/file')).toMatch(/^error: cannot read --token-auth-file: ENOENT.*\n$/);
    const { port } = new URL(url);
    expect(await failure(`--secure-port=${port}`)).toBe(
      `error: cannot listen on 127.0.0.1:${port}: the address is already in use: choose another port with --secure-port\n`,
    );
  });

  test('end when the supervisor is killed, and the next start takes over their port', async () => {
    await createLease(url, own, 'kept');
    const workers = workersOf(run);
    expect(workers).toHaveLength(2);
    run.child.kill('SIGKILL');
    await eventually(() => !workers.some(processExists));

    run = start({ throughout: true, url: shared.url, dir: own }, `--secure-port=${new URL(url).port}`);
    expect(await run.ready()).toBe(url);
    expect(await leaseNames(url, own)).toContain('kept');
  });

  test('finish their requests on a stop signal', async () => {
    const workers = workersOf(run);
    const answers = Array.from({ length: 30 }, (_, at) => createLease(url, own, `lease-${at}`));
    await answers[0];
    const ended = run.end('SIGTERM');
    const settled = await Promise.allSettled(answers);
    expect(await ended).toBe(0);
    expect(workers.filter(processExists)).toEqual([]);

    const stored = await leasesIn(shared.url);
    settled.forEach(({ status }, at) => {
      if (status === 'fulfilled') expect(stored).toContain(`default/lease-${at}`);
    });
  });
});

test('the server ends with the reason when no worker is left and none can start', async () => {
  const tokens = path.join(base, 'tokens.csv');
  writeFileSync(tokens, 'secret,admin,admin\n');
  const run = start({}, `--token-auth-file=${tokens}`);
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
