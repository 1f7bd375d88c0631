import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { isPostmasterOf, processExists, readPostmasterFile } from '../../../src/server/embedded-postgres/postmaster-pid.js';
import { describeWith, KUBECTL } from '../../clients/toolchain.js';
import { eventually } from '../../support/eventually.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { failureOf, runCommand } from '../cli/run-command.js';
import { type RunOptions, ask, createLease, leaseNames, ServerRun } from './server-run.js';

const base = scratchDirectory();
let dataDir: string;
let count = 0;
beforeEach(() => (dataDir = path.join(base, `data-${count++}`)));

const start = (options: RunOptions = {}, ...flags: string[]): ServerRun =>
  new ServerRun(['--secure-port=0', `--data-dir=${dataDir}`, ...flags], options);
const clusterDir = (): string => path.join(dataDir, 'postgres', 'data');
const postgresRuns = (): boolean => {
  const file = readPostmasterFile(clusterDir());
  return file !== undefined && isPostmasterOf(file.pid, clusterDir());
};

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

/** The server goes on renewing between two commands. */
const withoutRevision = (told: string): string => told.replace(/revision \d+/, 'revision');

/** What another program's PostgreSQL needs; none of it selects a server. */
const OF_ANOTHER = {
  ...{ PGSSLMODE: 'require', PGSSLNEGOTIATION: 'direct', PGOPTIONS: '-c nonsense=1', PGUSER: 'me', PGPASSWORD: 'x' },
  ...{ PGAPPNAME: 'psql', PGCLIENT_ENCODING: 'LATIN1', PGREPLICATION: 'database', PGSSLROOTCERT: '/none', PGPASSFILE: '/none' },
};

describe('a first start', () => {
  const own = path.join(base, 'first');
  let run: ServerRun;
  let url: string;
  beforeAll(async () => {
    dataDir = own;
    run = start({ throughout: true, environment: OF_ANOTHER });
    url = await run.ready();
  });
  beforeEach(() => (dataDir = own));

  test('serves, and prints how to connect', async () => {
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(run.stdout).toContain(`kubeconfig: ${dataDir}/admin.kubeconfig`);
    expect(run.stdout).toContain(`export KUBECONFIG=${dataDir}/admin.kubeconfig\n  kubectl get leases -A -w\n`);
    expect(run.stdout).toContain(`the embedded PostgreSQL in ${dataDir}/postgres, schema coordination\n`);
    expect(run.stdout).toContain('listening:  only on 127.0.0.1');
    expect((await ask(`${url}/readyz`, dataDir)).status).toBe(200);
  });

  test('serves the history of terms without a flag', async () => {
    const { status, body } = await ask(`${url}/apis/history.coordination-apiserver.dev/v1/leaseterms`, dataDir);
    expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ kind: 'LeaseTermList' })]);
  });

  test('and every command reach the embedded database whatever the environment has for the PostgreSQL of another program', async () => {
    for (const command of [['doctor'], ['backup', '-'], ['verify']]) {
      const plain = await runCommand([...command, '--data-dir', dataDir]);
      const { code, stderr } = await runCommand([...command, '--data-dir', dataDir], OF_ANOTHER);
      expect([command, code, withoutRevision(stderr)]).toEqual([command, 0, withoutRevision(plain.stderr)]);
    }
    expect((await runCommand(['doctor', '--data-dir', dataDir], { PGSSLMODE: 'nonsense' })).code).toBe(0);
  });

  test.each<Record<string, string>>([
    { PGHOST: 'elsewhere' },
    { PGPORT: '1' },
    { PGDATABASE: 'other' },
    { PGHOST: 'a,b', PGPORT: '1,2', PGDATABASE: 'my db' },
  ])('lets no command and no start use the database that %p selects instead, until one is named', async (environment) => {
    const names = Object.keys(environment);
    for (const command of [['doctor'], ['backup', '-'], ['verify'], ['serve', '--secure-port=0']]) {
      const line = await failureOf([...command, '--data-dir', dataDir], environment);
      expect(line).toMatch(`${dataDir} has an embedded database, and ${names.join(', ')} in the environment select`);
      expect(line).toMatch(`run "unset ${names.join(' ')}" for the embedded one, or pass --database-url=`);
    }
    const [, url = ''] = /--database-url='?([^']*)'?$/.exec(await failureOf(['doctor', '--data-dir', dataDir], environment)) ?? [];
    const selected = await runCommand(['doctor', `--database-url=${url}`, '--data-dir', dataDir], { ...environment, PGUSER: 'me' });
    expect(selected.stderr).toMatch(/^error: cannot (reach the database|resolve)/);
  });

  test('lets doctor print the line that ends a session which left its transaction open', async () => {
    const postgres = path.join(own, 'postgres');
    const password = readFileSync(path.join(postgres, 'password'), 'utf8').trim();
    const left = new pg.Client({ host: path.join(postgres, 'run'), user: 'coordination', database: 'postgres', password });
    const ended = new Promise((resolve) => left.on('error', resolve));
    await left.connect();
    await left.query('begin; select txid_current()');
    const line = await eventually(async () => {
      const { stdout } = await runCommand(['doctor', '--data-dir', own]);
      return /^ *(kill \d+ .*)$/m.exec(stdout)?.[1];
    });
    execFileSync('sh', ['-c', line]);
    expect(await ended).toMatchObject({ code: '57P01' });
  });

  test('a second server on the data directory is refused in one line and does not disturb the first', async () => {
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.stderr).toBe(
      `error: another server (process ${run.child.pid}) uses the data directory ${dataDir}: stop it, or pass another --data-dir\n`,
    );
    expect((await ask(`${url}/readyz`, dataDir)).status).toBe(200);
  });

  describeWith([KUBECTL], 'kubectl', () => {
    test('works with the generated kubeconfig unchanged', () => {
      const names = execFileSync('kubectl', ['--kubeconfig', path.join(dataDir, 'admin.kubeconfig'), 'get', 'namespaces', '-o', 'name'], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: base },
      });
      expect(names.trim().split('\n').sort()).toEqual(
        ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => `namespace/${name}`),
      );
    });
  });

  test('stops without leaving processes behind; its secrets are readable only by their owner, and unchanged after a restart', async () => {
    const files = ['certs/ca.crt', 'certs/ca.key', 'certs/apiserver.crt', 'certs/apiserver.key', 'certs/admin-token', 'admin.kubeconfig'];
    for (const file of files) expect([file, statSync(path.join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
    const before = files.slice(0, 5).map((file) => readFileSync(path.join(dataDir, file), 'utf8'));
    expect(await run.end('SIGTERM')).toBe(0);
    expect(postgresRuns()).toBe(false);
    expect(existsSync(path.join(dataDir, 'lock'))).toBe(false);
    await start().ready();
    expect(files.slice(0, 5).map((file) => readFileSync(path.join(dataDir, file), 'utf8'))).toEqual(before);
  });
});

describe('a server on a data directory', () => {
  beforeEach(() => (dataDir = path.join(base, 'kept')));

  /** Starts it; whatever the last one acknowledged has to be there. */
  async function startAgain(): Promise<ServerRun> {
    const known = existsSync(clusterDir());
    const run = start();
    const url = await run.ready();
    if (!known) await createLease(url, dataDir, 'kept');
    expect(await leaseNames(url, dataDir)).toEqual(['kept']);
    expect(processesOf('postgres')).toHaveLength(1);
    await eventually(() => processesOf('postgres-watchdog').length === 1); // that of a killed server ends, too
    return run;
  }

  test.each(['SIGABRT', 'SIGKILL'] as const)('takes its PostgreSQL along when it ends by %s', async (signal) => {
    const killed = await startAgain();
    expect(await killed.end(signal)).toBe(signal);
    await eventually(() => !postgresRuns());
  });

  test('that is started right after a kill -9 waits for the previous PostgreSQL, and there is never more than one', async () => {
    const killed = await startAgain();
    await killed.end('SIGKILL');
    await startAgain();
  });

  test('ends the orphaned PostgreSQL of a server that was killed together with its watchdog', async () => {
    const killed = await startAgain();
    for (const pid of processesOf('postgres-watchdog')) process.kill(pid, 'SIGKILL');
    expect(await killed.end('SIGKILL')).toBe('SIGKILL');
    expect(postgresRuns()).toBe(true);
    const next = await startAgain();
    expect(await next.end('SIGINT')).toBe(0);
    expect(postgresRuns()).toBe(false);
  });

  test('starts its PostgreSQL again whenever it is killed', async () => {
    const run = await startAgain();
    const url = await run.ready();
    for (let times = 1; times <= 2; times++) {
      const killed = readPostmasterFile(clusterDir())?.pid ?? 0;
      process.kill(killed, 'SIGKILL');
      await eventually(() => run.stderr.split('the embedded PostgreSQL runs again').length === times + 1);
      expect(run.stderr).toContain('it exited (SIGKILL)');
      expect(await eventually(() => leaseNames(url, dataDir).catch(() => undefined))).toEqual(['kept']);
    }
    expect(await run.end('SIGTERM')).toBe(0);
    expect(postgresRuns()).toBe(false);
  });

  test('answers 503 while its PostgreSQL cannot be started again, tries until it can, and stops in between', async () => {
    const run = await startAgain();
    const url = await run.ready();
    const needed = path.join(clusterDir(), 'global/pg_control');
    renameSync(needed, `${needed}.away`);
    process.kill(readPostmasterFile(clusterDir())?.pid ?? 0, 'SIGKILL');
    await eventually(() => run.stderr.includes('cannot start the embedded PostgreSQL again'));
    await expect(createLease(url, dataDir, 'meanwhile')).rejects.toThrow('answered 503');
    renameSync(`${needed}.away`, needed);
    await eventually(() => run.stderr.includes('the embedded PostgreSQL runs again'));
    // Until the server has seen that it is back, requests are refused at once.
    expect(await eventually(() => leaseNames(url, dataDir).catch(() => undefined))).toEqual(['kept']);
    renameSync(needed, `${needed}.away`);
    process.kill(readPostmasterFile(clusterDir())?.pid ?? 0, 'SIGKILL');
    await eventually(() => run.stderr.split('cannot start the embedded PostgreSQL again').length > 2);
    expect(await run.end('SIGTERM')).toBe(0);
    renameSync(`${needed}.away`, needed);
    expect(postgresRuns()).toBe(false);
  });

  test('is started by npm start with flags, and stopped by a signal to npm', async () => {
    const run = new ServerRun(['--secure-port=0', `--data-dir=${dataDir}`, '--anonymous-auth=true', '--authorization-mode=RBAC'], {
      npm: true,
    });
    const url = await run.ready();
    expect((await ask(`${url}/readyz`, dataDir)).status).toBe(200);
    await run.end('SIGTERM');
    expect(postgresRuns()).toBe(false);
  });

  test('is the only one that Ctrl-C reaches: requests in progress are answered before PostgreSQL stops', async () => {
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
});

test("a watchdog leaves a process alone that merely has its postmaster's former id", async () => {
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
  // Holds the watchdog's pipe, as a server does, and exits.
  const owner = `const { PostgresWatchdog } = await import(process.argv[1]);
    console.log(new PostgresWatchdog(Number(process.argv[2]), process.argv[3]).pid);`;
  const built = path.resolve('src/server/embedded-postgres/postmaster-pid.ts');
  const args = [
    '--import',
    './test/support/register-typescript.mjs',
    '--input-type=module',
    '-e',
    owner,
    built,
    String(stranger.pid),
    clusterDir(),
  ];
  const watchdog = Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(watchdog).toBeGreaterThan(0);
  while (processExists(watchdog)) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  stranger.kill('SIGKILL');
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
