import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../../src/server/embedded-postgres/embedded-postgres.js';
import { postgresUnderTest } from '../../support/postgres-under-test.js';

/** A copy of the primary's files, taken while it stands still, that follows it from then on. */
export async function copyOf(primary: EmbeddedPostgres, primaryDir: string, standbyDir: string): Promise<EmbeddedPostgres> {
  await primary.stop();
  execFileSync('cp', ['-a', primaryDir, standbyDir]); // with owners
  await primary.start();
  writeFileSync(path.join(standbyDir, 'data/standby.signal'), '');
  const { host, user, password = '' } = new pg.Client(primary.url());
  const settings = { primary_conninfo: `host=${host} user=${user ?? ''} password=${password}` };
  return postgresUnderTest({ dir: standbyDir, settings });
}

/** Once it answers and has everything up to a place in the primary's log. */
export async function caughtUp(url: string, place: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      const { rows } = await client.query<{ there: boolean }>('select pg_last_wal_replay_lsn() >= $1::pg_lsn as there', [place]);
      if (rows[0]?.there) return;
      throw new Error(`the standby does not get to ${place}`);
    } catch (error) {
      if (tries > 300) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await sleep(100);
  }
}
