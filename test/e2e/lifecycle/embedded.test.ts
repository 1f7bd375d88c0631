import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isPostmasterOf, processExists, readPostmasterFile } from '../../../src/server/embedded-postgres/postmaster-pid.js';
import { ask, createLease, leaseNames, scratchDirectory, ServerRun } from './server-run.js';

const base = scratchDirectory();
let dataDir: string;
let count = 0;
beforeEach(() => (dataDir = path.join(base, `data-${count++}`)));

const start = (...flags: string[]): ServerRun => new ServerRun(['--secure-port=0', `--data-dir=${dataDir}`, ...flags]);
const clusterDir = (): string => path.join(dataDir, 'postgres', 'data');
const postgresRuns = (): boolean => {
  const file = readPostmasterFile(clusterDir());
  return file !== undefined && isPostmasterOf(file.pid, clusterDir());
};

test('a first start serves, prints how to connect, and stops without leaving processes behind', async () => {
  const run = start();
  const url = await run.ready();
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(run.stdout).toContain(`kubeconfig: ${dataDir}/admin.kubeconfig`);
  expect(run.stdout).toContain(`export KUBECONFIG=${dataDir}/admin.kubeconfig\n  kubectl get leases -A -w\n`);
  expect(run.stdout).toContain(`the embedded PostgreSQL in ${dataDir}/postgres, schema coordination\n`);
  expect(run.stdout).toContain('listening:  only on 127.0.0.1');
  expect((await ask(`${url}/readyz`, dataDir)).status).toBe(200);
  expect(await run.end('SIGTERM')).toBe(0);
  expect(postgresRuns()).toBe(false);
  expect(existsSync(path.join(dataDir, 'lock'))).toBe(false);
});

test('secrets are readable only by their owner, and unchanged after a restart', async () => {
  const first = start();
  await first.ready();
  const files = ['certs/ca.crt', 'certs/ca.key', 'certs/apiserver.crt', 'certs/apiserver.key', 'certs/admin-token', 'admin.kubeconfig'];
  for (const file of files) expect([file, statSync(path.join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
  const before = files.slice(0, 5).map((file) => readFileSync(path.join(dataDir, file), 'utf8'));
  await first.end('SIGTERM');
  await start().ready();
  expect(files.slice(0, 5).map((file) => readFileSync(path.join(dataDir, file), 'utf8'))).toEqual(before);
});

/** Waits until no process works in the cluster directory. */
async function postgresEnds(): Promise<void> {
  while (postgresRuns()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Processes started for the cluster: postmasters for `postgres`, watchdogs for `postgres-watchdog`. */
function processesOf(program: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!(pid > 0)) return false;
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return words.some((word) => path.basename(word) === program) && words.includes(clusterDir());
      } catch {
        return false;
      }
    });
}

test.each(['SIGKILL', 'SIGABRT'] as const)(
  'a server that ends by %s takes its PostgreSQL along, and the next start has every acknowledged write',
  async (signal) => {
    const killed = start();
    const url = await killed.ready();
    await createLease(url, dataDir, 'kept');
    expect([processesOf('postgres').length, processesOf('postgres-watchdog').length]).toEqual([1, 1]);
    expect(await killed.end(signal)).toBe(signal);
    await postgresEnds();
    expect(await leaseNames(await start().ready(), dataDir)).toEqual(['kept']);
    expect([processesOf('postgres').length, processesOf('postgres-watchdog').length]).toEqual([1, 1]);
  },
);

test('a start right after kill -9 waits for the previous PostgreSQL, and there is never more than one', async () => {
  const killed = start();
  await createLease(await killed.ready(), dataDir, 'kept');
  await killed.end('SIGKILL');
  expect(await leaseNames(await start().ready(), dataDir)).toEqual(['kept']);
  expect(processesOf('postgres')).toHaveLength(1);
});

test('if the watchdog is killed too, the next start ends the orphaned PostgreSQL', async () => {
  const killed = start();
  const url = await killed.ready();
  await createLease(url, dataDir, 'kept');
  for (const pid of processesOf('postgres-watchdog')) process.kill(pid, 'SIGKILL');
  expect(await killed.end('SIGKILL')).toBe('SIGKILL');
  expect(postgresRuns()).toBe(true);

  const next = start();
  expect(await leaseNames(await next.ready(), dataDir)).toEqual(['kept']);
  expect(await next.end('SIGINT')).toBe(0);
  expect(postgresRuns()).toBe(false);
});

test("a watchdog leaves a process alone that merely has its postmaster's former id", async () => {
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
  // Holds the watchdog's pipe, as a server does, and exits.
  const owner = `const { PostgresWatchdog } = await import(process.argv[1]);
    console.log(new PostgresWatchdog(Number(process.argv[2]), process.argv[3]).pid);`;
  const built = path.resolve('dist/server/embedded-postgres/postgres-watchdog.js');
  const args = ['--input-type=module', '-e', owner, built, String(stranger.pid), clusterDir()];
  const watchdog = Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(watchdog).toBeGreaterThan(0);
  while (processExists(watchdog)) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  stranger.kill('SIGKILL');
});

test('a second server on the data directory is refused in one line and does not disturb the first', async () => {
  const first = start();
  const url = await first.ready();
  const second = start();
  expect(await second.ended).toBe(1);
  expect(second.stderr).toBe(
    `error: another server (process ${first.child.pid}) uses the data directory ${dataDir}: stop it, or pass another --data-dir\n`,
  );
  expect((await ask(`${url}/readyz`, dataDir)).status).toBe(200);
});

test('Ctrl-C reaches only the server: the request in progress is answered before PostgreSQL stops', async () => {
  const run = start();
  const url = await run.ready();
  const session = readFileSync(`/proc/${readPostmasterFile(clusterDir())?.pid}/stat`, 'utf8')
    .split(') ')[1]
    ?.split(' ')[3];
  expect(Number(session)).not.toBe(Number(readFileSync(`/proc/${run.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3]));
  const answers = Array.from({ length: 20 }, (_, at) => createLease(url, dataDir, `lease-${at}`));
  await answers[0];
  const ended = run.end('SIGINT');
  const settled = await Promise.allSettled(answers);
  expect(await ended).toBe(0);

  const again = await start().ready();
  const names = await leaseNames(again, dataDir);
  settled.forEach(({ status }, at) => {
    if (status === 'fulfilled') expect(names).toContain(`lease-${at}`);
  });
});

test('a PostgreSQL that dies under the server ends it with one line', async () => {
  const run = start('--log-level=error');
  await run.ready();
  process.kill(readPostmasterFile(clusterDir())?.pid ?? 0, 'SIGKILL');
  expect(await run.ended).toBe(1);
  expect(run.stderr).toMatch(/error: the embedded PostgreSQL exited \(SIGKILL\)/);
});

test('a signal during the start stops the server cleanly', async () => {
  const run = start();
  while (!existsSync(clusterDir())) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await run.end('SIGTERM')).toBe(0);
  expect(run.stdout).toBe('');
  expect(postgresRuns()).toBe(false);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('as root the data directory may lie below a directory that only root enters', async () => {
  const closed = path.join(base, 'closed');
  mkdirSync(closed);
  chmodSync(closed, 0o700);
  dataDir = path.join(closed, 'data');
  const url = await start().ready();
  expect((await ask(`${url}/readyz`, dataDir)).status).toBe(200);
});

test('npm start accepts flags and stops on a signal to npm', async () => {
  const run = new ServerRun(['--secure-port=0', `--data-dir=${dataDir}`, '--anonymous-auth=true', '--authorization-mode=RBAC'], {
    npm: true,
  });
  const url = await run.ready();
  expect((await ask(`${url}/readyz`, dataDir)).status).toBe(200);
  await run.end('SIGTERM');
  expect(postgresRuns()).toBe(false);
});

test('the generated kubeconfig works unchanged with kubectl', async () => {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
  } catch {
    console.log('skipped: there is no kubectl');
    return;
  }
  await start().ready();
  const kubectl = (...args: string[]): string =>
    execFileSync('kubectl', ['--kubeconfig', path.join(dataDir, 'admin.kubeconfig'), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: base },
    });
  expect(kubectl('get', 'namespaces', '-o', 'name').trim().split('\n').sort()).toEqual(
    ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => `namespace/${name}`),
  );
});
