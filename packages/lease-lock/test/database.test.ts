import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../../test/support/for-tests.js';
import { DatabaseProxy } from '../../../test/integration/storage/database-proxy.js';
import { describeWith, PGBOUNCER } from '../../../test/clients/toolchain.js';
import { scratchDirectory } from '../../../test/support/scratch-directory.js';
import { startPgBouncer } from '../../../test/support/pgbouncer.js';
import { createEmptyDatabase, createTestDatabase, serverUrl } from '../../../test/support/test-database.js';
import { eventually } from '../../../test/support/eventually.js';
import { startServerProcess } from '../../../test/support/server-process.js';
import { acquireLock } from '../src/acquisition.js';
import { databaseLeases } from '../src/database-leases.js';
import { type LockResult, kubeconfigOf, LockProcess } from './support/lock-process.js';

interface Lease {
  readonly holder: string | null;
  readonly held: boolean;
  readonly token: string | null;
}

const dir = scratchDirectory();
const database = forAllTests(() => createTestDatabase());
let pool: pg.Pool;
beforeAll(async () => {
  pool = new pg.Pool({ connectionString: database.url });
  await pool.query(`call coordination.lease_create_namespace('default')`);
});
afterAllTests(() => pool.end());

async function get(name: string): Promise<Lease | undefined> {
  const { rows } = await pool.query<Lease>(`select * from coordination.lease_get('default', $1)`, [name]);
  return rows[0];
}

const holderOf = async (name: string): Promise<string | null | undefined> => (await get(name))?.holder;

function start(url: string, name: string, ...args: string[]): LockProcess {
  return new LockProcess('/none', ['lock', name, `--database-url=${url}`, ...args]);
}

const lock = (url: string, name: string, ...args: string[]): Promise<LockResult> => start(url, name, ...args).result();

async function hold(url: string, name: string, ...options: string[]): Promise<LockProcess> {
  const holder = start(url, name, ...options, '--', 'sh', '-c', 'echo held; exec sleep 600');
  await holder.prints(/held/);
  return holder;
}

/** What works in the same way directly and through a pooler. */
function behaves(urlOf: () => string, prefix: string): void {
  test('the command finds the token of the database, greater each time, and the lease is freed', async () => {
    const name = `${prefix}-token`;
    const run = async () => BigInt((await lock(urlOf(), name, '--shell', '--', 'echo $LEASE_TOKEN')).stdout);
    const first = await run();
    expect(await run()).toBeGreaterThan(first);
    expect(await holderOf(name)).toBeNull();
  });

  test('one that is held is waited for, or not', async () => {
    const name = `${prefix}-held`;
    const holder = await hold(urlOf(), name, '--holder=first');
    expect(await lock(urlOf(), name, '--fail-fast', '--', 'true')).toMatchObject({
      code: 75,
      stderr: expect.stringMatching(/^lease-lock: the lock default\/\S+ was not free in time: first_[0-9a-f]{10} holds it\n$/),
    });
    expect((await lock(urlOf(), name, '--wait=300ms', '--', 'true')).code).toBe(75);
    const next = start(urlOf(), name, '--verbose', '--', 'echo', 'mine');
    await next.prints(/waiting/);
    holder.signal('SIGTERM');
    expect(await next.result()).toMatchObject({ code: 0, stdout: 'mine\n' });
    expect((await holder.result()).code).toBe(143);
  });

  test('never more slots of a semaphore are taken than there are', async () => {
    const name = `${prefix}-slots`;
    const log = path.join(dir, name);
    const script = `echo begin >> ${log}; sleep 0.1; echo end >> ${log}`;
    const results = await Promise.all(Array.from({ length: 6 }, () => lock(urlOf(), name, '--slots=2', '--shell', '--', script)));
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 0));
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    let taken = 0;
    const most = Math.max(...lines.map((line) => (taken += line === 'begin' ? 1 : -1)));
    expect([lines.length, most]).toEqual([12, expect.any(Number)]);
    expect(most).toBeLessThanOrEqual(2);
  });

  test('a different number of slots is reported', async () => {
    const name = `${prefix}-counts`;
    const plain = await hold(urlOf(), name);
    expect((await lock(urlOf(), name, '--slots=2', '--', 'true')).stderr).toMatch(/holds \S+-counts as one of 1, here there are 2 slots/);
    const next = await hold(urlOf(), `${name}-2`);
    plain.signal('SIGTERM');
    await plain.result();
    expect((await lock(urlOf(), name, '--slots=2', '--', 'true')).stderr).toMatch(
      /holds \S+-counts-2 as one of more, here there are 2 slots/,
    );
    next.signal('SIGTERM');
    await next.result();
    expect(await lock(urlOf(), name, '--slots=2', '--', 'true')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('a lease that somebody else has taken stops the command', async () => {
    const name = `${prefix}-robbed`;
    const holder = await hold(urlOf(), name);
    await pool.query(`call coordination.lease_release('default', $1, $2)`, [name, await holderOf(name)]);
    await pool.query(`call coordination.lease_acquire('default', $1, 'robber', '60 s')`, [name]);
    const { code, stderr } = await holder.result();
    expect([code, stderr]).toEqual([76, `lease-lock: the lease default/${name} is lost: somebody else has taken it\n`]);
    expect(await holderOf(name)).toBe('robber');
  });
}

describe('a lock in the database, without a server', () => {
  behaves(() => database.url, 'direct');

  test('of a holder that was killed is free when its duration is over, and its command has ended', async () => {
    const holder = start(database.url, 'killed', '--duration=3s', '--', 'sh', '-c', 'echo $$; exec sleep 600');
    await holder.prints(/\d+/);
    const pid = holder.stdout.trim();
    const next = start(database.url, 'killed', '--verbose', '--shell', '--', `kill -0 ${pid} 2>/dev/null && echo runs || echo ended`);
    await next.prints(/waiting/);
    holder.signal('SIGKILL');
    expect((await next.result()).stdout).toBe('ended\n');
  });

  test('of a holder that is cut off is lost, and its command has ended before the next one begins', async () => {
    const log = path.join(dir, 'cut');
    await using proxy = await DatabaseProxy.start(database.url);
    const stubborn = `trap 'echo told' TERM; echo holds; while :; do echo first >> ${log}; sleep 0.02; done`;
    const holder = start(proxy.url(database.url), 'cut', '--duration=5s', '--', 'sh', '-c', stubborn);
    await holder.prints(/holds/);
    const next = start(database.url, 'cut', '--verbose', '--', 'sh', '-c', `echo second >> ${log}; sleep 0.3`);
    await next.prints(/waiting/);
    proxy.silence();
    proxy.refuse();
    expect((await next.result()).code).toBe(0);
    expect(await holder.result()).toMatchObject({ code: 76, stdout: 'holds\ntold\n' });
    expect(readFileSync(log, 'utf8')).toMatch(/^(first\n)+second\n$/);
  });

  test('is renewed over another connection when its own falls silent', async () => {
    await using proxy = await DatabaseProxy.start(database.url);
    const renewed = async (): Promise<Date> => ((await get('silent')) as Lease & { renewed: Date }).renewed;
    const holder = await hold(proxy.url(database.url), 'silent', '--duration=6s');
    const before = await renewed();
    proxy.silence();
    await eventually(async () => (await renewed()) > before);
    expect(holder.isRunning).toBe(true);
    holder.signal('SIGTERM');
    expect((await holder.result()).code).toBe(143);
  });

  test('is taken from the first host that accepts writes', async () => {
    const { host, port, user, password, database: name } = new pg.Client({ connectionString: database.url });
    const address = `${encodeURIComponent(host)}:${port}`;
    const url = `postgresql://${user}:${password ?? ''}@127.0.0.1:1,${address}/${name}`;
    expect(await lock(url, 'hosts', '--', 'echo', 'held')).toMatchObject({ code: 0, stdout: 'held\n' });
  });

  test('through the library, over the pool of the program', async () => {
    const backend = databaseLeases({ database: pool });
    const held = await acquireLock('library', { backend, holder: 'program' });
    expect(await get('library')).toMatchObject({ holder: held.holder, held: true, token: String(held.token) });
    await expect(acquireLock('library', { backend, wait: 0 })).rejects.toMatchObject({ why: 'not-acquired' });
    await held.release();
    expect(held.isHeld()).toBe(false);
    expect(await holderOf('library')).toBeNull();
  });
});

describeWith([PGBOUNCER], 'a lock in the database behind PgBouncer in transaction mode', () => {
  const bouncer = forAllTests(() => startPgBouncer(serverUrl(), 'transaction'));

  behaves(() => bouncer.url(database.url), 'pooled');
});

test('holders through a server and straight in its database exclude each other', async () => {
  await using server = await startServerProcess({ databaseUrl: database.url });
  const throughServer = (...args: string[]) => new LockProcess(kubeconfigOf(server), ['lock', 'shared', ...args]);
  const straight = await hold(database.url, 'shared');
  const waiter = throughServer('--verbose', '--', 'sh', '-c', 'echo held; exec sleep 600');
  await waiter.prints(/waiting/);
  expect((await throughServer('--fail-fast', '--', 'true').result()).code).toBe(75);
  straight.signal('SIGTERM');
  await waiter.prints(/held/);
  expect((await lock(database.url, 'shared', '--fail-fast', '--', 'true')).code).toBe(75);
  waiter.signal('SIGTERM');
  await waiter.result();
  expect((await lock(database.url, 'shared', '--fail-fast', '--', 'true')).code).toBe(0);
});

test('every form of a database URL that psql takes is taken', async () => {
  const { user = '', password, host, port, database: name } = new pg.Client(database.url);
  const query = (given: object): string => new URLSearchParams(given as Record<string, string>).toString();
  const login = { user, ...(password && { password }) };
  const forms = [
    `postgresql:///?${query({ ...login, host, port, dbname: name })}`,
    `postgresql://${encodeURIComponent(user)}${password ? `:${encodeURIComponent(password)}` : ''}@/${name}?${query({ host, port })}`,
    `postgresql:///${name}?${query({ ...login, host: `127.0.0.1,${host}`, port: `1,${port}` })}`,
    `user='${user}' password='${password ?? ''}' host=${host} port = ${port} dbname=${name}`,
  ];
  for (const url of forms) expect(await lock(url, 'forms', '--', 'true')).toMatchObject({ code: 0, stderr: '' });
});

describe('exit codes for a database that cannot be used', () => {
  const empty = forAllTests(() => createEmptyDatabase());

  test.each([
    ['a text that is no URL', () => ['--database-url=localhost'], 78, '--database-url: the database URL is invalid'],
    ['together with a server', () => ['--database-url=x', '--server=https://x'], 64, '--database-url and --server exclude each other'],
    ['a database that does not answer', () => ['--database-url=postgresql://u@127.0.0.1:1/db'], 69, 'ECONNREFUSED'],
    ['a database without leases', () => [`--database-url=${empty.url}`], 77, 'migrate up creates the schema'],
    [
      'a namespace that does not exist',
      () => [`--database-url=${database.url}`, '--namespace=none'],
      77,
      'namespace "none" does not exist',
    ],
  ])('%s', async (_, args, code, message) => {
    const { stderr, ...result } = await new LockProcess('/none', ['lock', 'x', ...args(), '--', 'true']).result();
    expect(result).toEqual({ code, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('a role that was not granted the namespace', async () => {
    const { rows } = await pool.query<{ role: string }>(`select 'lock_' || substr(md5(random()::text), 1, 8) as role`);
    const role = rows[0]?.role ?? '';
    await pool.query(`create role ${role} login password 'secret'`);
    const url = database.url.replace(/^([a-z]+:\/\/)[^@]*@/, `$1${role}:secret@`);
    const run = () => lock(url, 'granted', '--', 'true');
    expect(await run()).toMatchObject({ code: 77, stderr: expect.stringContaining('lease_grant') });
    await pool.query(`select coordination.lease_grant('${role}', 'default')`);
    expect(await run()).toMatchObject({ code: 0 });
    await pool.query(
      `select coordination.lease_revoke('${role}', 'default'); revoke all on schema coordination from ${role}; drop role ${role}`,
    );
  });
});
