import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import type { PostgresSettings } from '../../src/server/embedded-postgres/postgres-programs.js';
import { rowsOf } from './connected.js';
import { eventually } from './eventually.js';
import { postgresUnderTest } from './postgres-under-test.js';

interface PrimaryAndCopy extends AsyncDisposable {
  readonly primary: EmbeddedPostgres;
  readonly standby: EmbeddedPostgres;
}

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

/** Resolves once the standby answers and has replayed what the primary has in its log now. */
export async function caughtUp(standby: EmbeddedPostgres, primary: EmbeddedPostgres): Promise<void> {
  const [{ place } = {}] = await rowsOf<{ place: string }>(primary.url(), 'select pg_current_wal_lsn()::text as place');
  const question = `select pg_last_wal_replay_lsn() >= '${place}'::pg_lsn as there`;
  // A standby that has yet to start has no port, and then refuses sessions until it is consistent.
  await eventually(
    async () => (await rowsOf<{ there: boolean }>(standby.url(), question).catch(() => []))[0]?.there,
    () => `the standby did not reach ${place}`,
  );
}

/** A primary that runs, and a standby that is yet to be started. Both end together. */
export async function primaryAndCopy(dir: string): Promise<PrimaryAndCopy> {
  const [primaryDir, standbyDir] = [path.join(dir, 'a'), path.join(dir, 'b')];
  const primary = postgresUnderTest({ dir: primaryDir });
  await primary.start();
  const standby = await copyOf(primary, primaryDir, standbyDir);
  const stop = async () => {
    await standby.stop();
    await primary.stop();
  };
  return { primary, standby, [Symbol.asyncDispose]: stop };
}
