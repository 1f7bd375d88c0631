import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { EmbeddedPostgres } from '../../../src/server/embedded-postgres/embedded-postgres.js';
import { findPostgresBinaries } from '../../../src/server/embedded-postgres/postgres-programs.js';
import { isPostmasterOf, processExists, readPostmasterFile } from '../../../src/server/embedded-postgres/postmaster-pid.js';
import { rootRunner, unprivilegedAccount } from '../../../src/server/embedded-postgres/process-account.js';
import { connected } from '../../support/connected.js';

const isRoot = process.getuid?.() === 0;

let base: string;
let dir: string;
const running: EmbeddedPostgres[] = [];
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'embedded-'));
  dir = path.join(base, 'postgres');
});
afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop();
  rmSync(base, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  const postgres = new EmbeddedPostgres({ dir, syncInit: false });
  running.push(postgres);
  await postgres.start();
  return postgres;
}

async function query(postgres: EmbeddedPostgres, text: string): Promise<unknown[]> {
  await using client = await connected(postgres.url());
  return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows.flat();
}

const postmaster = (): number => readPostmasterFile(path.join(dir, 'data'))?.pid ?? 0;

test('written data survives a stop, and the next start serves it', async () => {
  const first = await start();
  await query(first, 'create table t as select 1 as one');
  await first.stop();
  expect(existsSync(path.join(dir, 'data', 'postmaster.pid'))).toBe(false);
  expect(await query(await start(), 'select one from t')).toEqual([1]);
});

test('the cluster is durable, in UTF-8 and byte order, and not on the network', async () => {
  const postgres = await start();
  const settings = ['fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'server_encoding', 'jit', 'data_checksums'];
  expect(await query(postgres, settings.map((name) => `select current_setting('${name}')`).join(' union all '))).toEqual([
    'on',
    'on',
    'on',
    '',
    'UTF8',
    'off',
    'on',
  ]);
  expect(await query(postgres, "select datcollate from pg_database where datname = 'postgres'")).toEqual(['C']);
});

test('no commit waits for a large new segment of the write-ahead log, or for what sessions left to the end of a checkpoint', async () => {
  const postgres = await start();
  expect(await query(postgres, "select current_setting('wal_segment_size'), current_setting('backend_flush_after')")).toEqual([
    '1MB',
    '256kB',
  ]);
});

test('its directories are closed to others, and its socket requires the password', async () => {
  const postgres = await start();
  for (const name of ['data', 'run']) expect(statSync(path.join(dir, name)).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(dir, 'password')).mode & 0o777).toBe(0o600);
  const wrong = new pg.Client({ connectionString: postgres.url().replace(/:[^:@]+@/, ':wrong@') });
  await expect(wrong.connect()).rejects.toMatchObject({ code: '28P01' });
});

test('it runs in a session of its own', async () => {
  await start();
  const session = readFileSync(`/proc/${postmaster()}/stat`, 'utf8').split(') ')[1]?.split(' ')[3];
  expect(Number(session)).toBe(postmaster());
});

test('a server that a killed owner left running is stopped, and its data is kept', async () => {
  const orphan = await start();
  await query(orphan, 'create table t as select 1 as one');
  const pid = postmaster();
  running.length = 0;
  const next = await start();
  expect(postmaster()).not.toBe(pid);
  expect(processExists(pid) && isPostmasterOf(pid, path.join(dir, 'data'))).toBe(false);
  expect(await query(next, 'select one from t')).toEqual([1]);
});

test('the next start recovers from a killed postmaster although its other processes are still ending', async () => {
  const killed = await start();
  await query(killed, 'create table t as select 1 as one');
  killed.onUnexpectedExit(() => {});
  process.kill(postmaster(), 'SIGKILL');
  running.length = 0;
  expect(await query(await start(), 'select one from t')).toEqual([1]);
});

test('a lock file whose process id now belongs to another process does not prevent the start', async () => {
  const first = await start();
  await first.stop();
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore', ...(isRoot ? { uid: unprivilegedAccount(path.join(dir, 'data')).uid } : {}) });
  try {
    const file = path.join(dir, 'data', 'postmaster.pid');
    writeFileSync(file, `${stranger.pid}\n${path.join(dir, 'data')}\n1\n5432\n${dir}\n\n\nready   \n`);
    expect(await query(await start(), 'select 1')).toEqual([1]);
    expect(processExists(stranger.pid ?? 0)).toBe(true);
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('an unexpected end is reported with its cause', async () => {
  const postgres = await start();
  const reason = new Promise<string>((resolve) => postgres.onUnexpectedExit(resolve));
  process.kill(postmaster(), 'SIGKILL');
  expect(await reason).toMatch(/^it exited \(SIGKILL\)/);
});

test('a path too long for a socket works through a temporary directory, which is removed again', async () => {
  dir = path.join(base, 'x'.repeat(100), 'postgres');
  const before = new Set(readdirSync(tmpdir()));
  const postgres = await start();
  expect(await query(postgres, 'select 1')).toEqual([1]);
  const socketDir = decodeURIComponent(new URL(postgres.url()).hostname);
  expect(before.has(path.basename(socketDir))).toBe(false);
  expect(statSync(socketDir).mode & 0o777).toBe(0o700);
  await postgres.stop();
  expect(existsSync(socketDir)).toBe(false);
});

test('an interrupted initdb leaves nothing that prevents the next start', async () => {
  mkdirSync(path.join(dir, 'data'), { recursive: true });
  mkdirSync(path.join(dir, 'new', 'base'), { recursive: true });
  expect(await query(await start(), 'select 1')).toEqual([1]);
});

test('damaged data is one clear error with PostgreSQL’s own reason', async () => {
  const first = await start();
  await first.stop();
  rmSync(path.join(dir, 'data', 'global', 'pg_control'));
  await expect(start()).rejects.toThrow(/^cannot start the embedded PostgreSQL: .*pg_control/);
});

const asRoot = isRoot ? test : test.skip;

asRoot('as root it runs under another account, below a directory that only root may enter too', async () => {
  chmodSync(base, 0o700);
  const postgres = await start();
  const status = readFileSync(`/proc/${postmaster()}/status`, 'utf8');
  expect(/^Uid:\t(\d+)\t(\d+)/m.exec(status)?.slice(1)).toEqual(Array(2).fill(String(statSync(path.join(dir, 'data')).uid)));
  expect(statSync(path.join(dir, 'data')).uid).not.toBe(0);
  expect(statSync(dir).uid).toBe(0);
  expect(await query(postgres, 'select 1')).toEqual([1]);
  await query(postgres, 'checkpoint');
});

asRoot('as root it runs binaries of a checkout that only root may enter', () => {
  chmodSync(base, 0o700);
  const native = path.resolve(path.dirname(findPostgresBinaries().postgres), '..');
  cpSync(native, path.join(base, 'native'), { recursive: true });
  const account = unprivilegedAccount(dir);
  const binary = path.join(base, 'native', 'bin', 'postgres');
  const { file, args } = rootRunner(account, binary, base).invoke('/bin/sh', ['-c', '"$0" --version; id -u', binary]);
  const output = execFileSync(file, [...args], { cwd: '/', encoding: 'utf8' });
  expect(output).toMatch(new RegExp(`^postgres \\(PostgreSQL\\) 18.*\\n${account.uid}\\n$`));
});
