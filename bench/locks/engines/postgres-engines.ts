import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { EmbeddedPostgres } from '../../../src/server/embedded-postgres/embedded-postgres.js';
import { assertDurable } from '../../measure/durability.js';
import type { LockEngine } from '../lock-engine.js';
import { SessionEngine } from '../session-engine.js';
import { AdvisorySession } from './advisory-session.js';
import { LeaseSession } from './lease-session.js';
import { ROW_TABLE, RowSession } from './row-session.js';

const run = promisify(execFile);

/** The locks of one embedded PostgreSQL, in its default settings; no server runs. */
export async function startPostgresEngines(): Promise<readonly LockEngine[]> {
  const dir = mkdtempSync(path.join(tmpdir(), 'coordination-locks-'));
  const postgres = new EmbeddedPostgres({ dir });
  await postgres.start();
  const stop = async () => {
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  const open = async () => {
    const client = new pg.Client({ connectionString: postgres.url() });
    await client.connect();
    return client;
  };
  try {
    await run(process.execPath, ['dist/main.js', 'migrate', 'up', `--database-url=${postgres.url()}`]);
    const client = await open();
    await client.query(`call coordination.lease_create_namespace('default')`);
    await client.query(ROW_TABLE);
    await client.end();
    const flushed = await assertDurable(postgres.url());
    return [
      new SessionEngine({ name: 'lease_acquire', durability: flushed }, async (holder) => new LeaseSession(await open(), holder), stop),
      new SessionEngine({ name: 'a lease row', durability: flushed }, async (holder) => new RowSession(await open(), holder)),
      new SessionEngine(
        { name: 'pg_advisory_lock', durability: 'in memory, ends with the session', renews: false },
        async () => new AdvisorySession(await open()),
      ),
    ];
  } catch (error) {
    await stop();
    throw error;
  }
}
