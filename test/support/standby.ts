import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import type { PostgresSettings } from '../../src/server/embedded-postgres/postgres-settings.js';
import { postgresUnderTest } from './postgres-under-test.js';

/** A copy of the stopped primary's files that follows the primary from then on. */
export async function copyOf(
  primary: EmbeddedPostgres,
  primaryDir: string,
  standbyDir: string,
  own: PostgresSettings = {},
): Promise<EmbeddedPostgres> {
  await primary.stop();
  execFileSync('cp', ['-a', primaryDir, standbyDir]); // preserving owners
  await primary.start();
  writeFileSync(path.join(standbyDir, 'data/standby.signal'), '');
  const { host, user, password = '' } = new pg.Client(primary.url());
  const settings = { ...own, primary_conninfo: `host=${host} user=${user ?? ''} password=${password}` };
  return postgresUnderTest({ dir: standbyDir, settings });
}

/** Resolves once the standby answers and has replayed the primary's log up to this position. */
export async function caughtUp(url: string, place: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      const { rows } = await client.query<{ there: boolean }>('select pg_last_wal_replay_lsn() >= $1::pg_lsn as there', [place]);
      if (rows[0]?.there) return;
      throw new Error(`the standby did not reach ${place}`);
    } catch (error) {
      if (tries > 300) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await sleep(100);
  }
}
