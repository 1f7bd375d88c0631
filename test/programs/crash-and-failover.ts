import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { PrimaryWithStandby } from '../support/primary-with-standby.js';
import { startServerProcess } from '../support/server-process.js';
import { LeaseWays } from '../load/lease-ways.js';
import { ShellWay } from '../load/shell-way.js';

/**
 * `npm run program crash-and-failover`: leases are renewed over HTTP and SQL, rows are fenced and commands run under locks, while other clients crash and then
 * the primary does, whose place a synchronous standby takes. Prints what each of them was told and how long renewals took, and checks that all of
 * them go on and that nothing acknowledged is lost.
 */
const PHASE_MS = 15_000;
/** How long nobody notices that the primary is gone. */
const UNNOTICED_MS = 5000;
const TOKEN = 'holder-token';

/** A session that has taken a lease and has a fenced transaction open, and is gone without a word. */
async function crashInSql(databaseUrl: string, number: number): Promise<void> {
  const client = new pg.Client(databaseUrl);
  client.on('error', () => undefined); // its connection is destroyed below
  await client.connect();
  const { rows } = await client.query<{ token: string }>(`call coordination.lease_acquire('default', 'session-${number}', 'a', '6 s')`);
  await client.query('begin');
  await client.query(`select coordination.lease_assert('default', 'session-${number}', $1)`, [rows[0]?.token]);
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

async function crashInShell(shell: ShellWay): Promise<void> {
  const holder = shell.start('sleep', '100000');
  await sleep(1500);
  holder.kill('SIGKILL');
}

async function main(): Promise<void> {
  const database = await PrimaryWithStandby.start();
  const databaseUrl = database.url;
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

    const { crashed, promoted } = await database.failOver(UNNOTICED_MS);
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
    await database.stop();
  }
}

await main();
