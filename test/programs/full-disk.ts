import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { postgresUnderTest } from '../support/postgres-under-test.js';
import { startServerProcess } from '../support/server-process.js';
import { LeaseWays } from '../load/lease-ways.js';

/**
 * `npm run program full-disk`: fills the disk of a PostgreSQL while leases are renewed over HTTP and SQL and fenced rows are written, prints what each of
 * them was told, makes room again, and checks that all of them go on and that nothing acknowledged is lost. Needs Linux and the right to mount.
 */
const SIZE_MIB = 300;
const PHASE_MS = 10_000;
/** Begins segments until there is no room for another one. */
const USE_UP_LOG = `do $$ begin
  for segment in 1..20 loop
    perform pg_logical_emit_message(false, 'full', 'disk');
    perform pg_switch_wal();
  end loop;
end $$`;

function mountSmallDisk(dir: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m,mode=755`, 'tmpfs', dir]);
}

/** Takes all that is left; returns the file. */
function fill(dir: string): string {
  const ballast = path.join(dir, 'ballast');
  const file = openSync(ballast, 'w');
  try {
    for (let bytes = 2 ** 20; bytes >= 512;) {
      try {
        if (writeSync(file, Buffer.alloc(bytes)) < bytes) bytes /= 2;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        bytes /= 2;
      }
    }
  } finally {
    closeSync(file);
  }
  return ballast;
}

async function answerOf(url: string, statement: string): Promise<string> {
  const client = new pg.Client(url);
  client.on('error', () => undefined); // the query fails with it
  try {
    await client.connect();
    await client.query(statement);
    return 'done';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function main(): Promise<void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'full-disk-'));
  mountSmallDisk(dir);
  const postgres = postgresUnderTest({ dir: path.join(dir, 'postgres'), settings: { min_wal_size: '32MB', max_wal_size: '48MB' } });
  let ended = false;
  postgres.onUnexpectedExit((reason) => {
    ended = true;
    console.log(`PostgreSQL: ${reason}`);
  });
  try {
    await postgres.start();
    await using server = await startServerProcess({ databaseUrl: postgres.url(), tokens: ['holder-token,holder,holder,"system:masters"'] });
    const ways = await LeaseWays.open(server.url, 'holder-token', postgres.url());
    try {
      const stopped = ways.run();
      await sleep(PHASE_MS / 2);
      ways.print('with room');

      const ballast = fill(dir);
      const grown = await answerOf(postgres.url(), `create table public.filler as select repeat('x', 5000) from generate_series(1, 1000)`);
      await sleep(PHASE_MS);
      ways.print(`tables cannot grow (${grown})`);

      const switched = await answerOf(postgres.url(), USE_UP_LOG);
      await sleep(PHASE_MS);
      ways.print(`the write-ahead log cannot grow (${switched})`);

      rmSync(ballast);
      const freed = performance.now();
      await eventually(
        async () => {
          if (ended) await postgres.start();
          ended = false;
          return ways.allWork();
        },
        () => `not all go on: ${ways.answers().join('; ')}`,
      );
      console.log(`all go on ${((performance.now() - freed) / 1000).toFixed(1)} s after there was room again`);
      await sleep(PHASE_MS / 2);
      ways.stop();
      await stopped;
      ways.print('with room again');
      await ways.reportLost();
    } finally {
      ways.stop();
      await ways.close();
    }
  } finally {
    await postgres.stop();
    execFileSync('umount', [dir]);
    rmSync(dir, { recursive: true, force: true });
  }
}

// what is mounted is not left behind
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => console.log('ends within two minutes'));
await main();
