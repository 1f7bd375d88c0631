import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readPostmasterFile } from '../../src/server/embedded-postgres/postmaster-pid.js';
import { caughtUp, copyOf } from '../e2e/lifecycle/standby.js';
import { eventually } from '../support/eventually.js';
import { postgresUnderTest } from '../support/postgres-under-test.js';
import { startServerProcess } from '../support/server-process.js';
import { LeaseWays } from './lease-ways.js';
import { ShellWay } from './shell-way.js';

/**
 * `npm run crash-and-failover`: leases are renewed over HTTP and SQL, rows are fenced and commands run under locks, while other clients crash and then
 * the primary does, whose place a synchronous standby takes. Prints what each of them was told and how long renewals took, and checks that all of
 * them go on and that nothing acknowledged is lost.
 */
const PHASE_MS = 15_000;
/** How long nobody notices that the primary is gone. */
const UNNOTICED_MS = 5000;
const TOKEN = 'holder-token';

async function query<Row extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await client.query<Row>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** A session that has taken a lease and has a fenced transaction open, and is gone without a word. */
async function crashInSql(databaseUrl: string, number: number): Promise<void> {
  const client = new pg.Client(databaseUrl);
  client.on('error', () => undefined); // its connection is destroyed below
  await client.connect();
  const { rows } = await client.query<{ token: string }>(`call coordination.lease_acquire('default', 'crash-${number}', 'a', '6 s')`);
  await client.query('begin');
  await client.query(`select coordination.lease_assert('default', 'crash-${number}', $1)`, [rows[0]?.token]);
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

async function crashInShell(shell: ShellWay): Promise<void> {
  const holder = shell.start('sleep', '100000');
  await sleep(1500);
  holder.kill('SIGKILL');
}

async function main(): Promise<void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'crash-and-failover-'));
  const [primaryDir, standbyDir] = [path.join(dir, 'a'), path.join(dir, 'b')];
  const primary = postgresUnderTest({ dir: primaryDir });
  await primary.start();
  const standby = await copyOf(primary, primaryDir, standbyDir);
  await standby.start();
  const [{ lsn = '' } = {}] = await query<{ lsn: string }>(primary.url(), 'select pg_current_wal_lsn()::text as lsn');
  await caughtUp(standby.url(), lsn);
  await query(primary.url(), `alter system set synchronous_standby_names = '*'`, 'select pg_reload_conf()');

  // The directory of the primary's socket, as an address that moves with it.
  const address = path.join(dir, 'address');
  const point = (url: string): void => {
    symlinkSync(decodeURIComponent(new URL(url).hostname), `${address}.new`);
    renameSync(`${address}.new`, address);
  };
  point(primary.url());
  const databaseUrl = primary.url().replace(new URL(primary.url()).hostname, encodeURIComponent(address));
  const server = await startServerProcess({ databaseUrl, tokens: [`${TOKEN},holder,holder,"system:masters"`] });
  const ways = await LeaseWays.open(server.url, TOKEN, databaseUrl);
  try {
    const stopped = ways.run();
    await sleep(PHASE_MS);
    ways.print('undisturbed');

    const shells = Array.from({ length: 5 }, (_, number) => {
      return new ShellWay(`crash-${number}`, [`--server=${server.url}`, `--token=${TOKEN}`, '--insecure-skip-tls-verify']);
    });
    const until = performance.now() + PHASE_MS;
    const crashes = shells.map(crashInShell);
    let sessions = 0;
    for (; performance.now() < until; await sleep(100)) await crashInSql(databaseUrl, sessions++);
    await Promise.all(crashes);
    ways.print(`while ${sessions} sessions and ${shells.length} commands crashed`);
    const taken = performance.now();
    const answers = await Promise.all(shells.map((shell) => shell.run('true')));
    console.log(
      `their locks: taken after ${((performance.now() - taken) / 1000).toFixed(1)} s at most: ${[...new Set(answers)].join('; ')}`,
    );

    process.kill(readPostmasterFile(path.join(primaryDir, 'data'))?.pid ?? NaN, 'SIGKILL');
    const crashed = performance.now();
    await sleep(UNNOTICED_MS);
    await query(standby.url(), 'select pg_promote()');
    point(standby.url());
    const promoted = performance.now();
    await eventually(
      () => Promise.resolve(ways.allWork() || undefined),
      () => `not all go on: ${ways.answers().join('; ')}`,
    );
    const seconds = (from: number): string => ((performance.now() - from) / 1000).toFixed(1);
    console.log(`all go on ${seconds(promoted)} s after the promotion, ${seconds(crashed)} s after the crash`);
    ways.print('during the failover');
    await sleep(PHASE_MS);
    ways.stop();
    await stopped;
    ways.print('after it');
    await ways.reportLost();
  } finally {
    ways.stop();
    await ways.close();
    await server.stop();
    await standby.stop();
    await primary.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

await main();
