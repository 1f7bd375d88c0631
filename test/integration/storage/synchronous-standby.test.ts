import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { EmbeddedPostgres } from '../../../src/server/embedded-postgres/embedded-postgres.js';
import { Workspace } from '../../suites/store-under-test.js';
import { openTestStore } from './open-test-store.js';
import { eventually, pause } from './postgres-fixture.js';

/** Of a session in which a commit waits for a standby. */
const WAITING = `select pid from pg_stat_activity where wait_event = 'SyncRep' and application_name like $1`;

describe('with a synchronous standby that is away', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'synchronous-standby-'));
  const postgres = new EmbeddedPostgres({ dir, syncInit: false });
  let client: pg.Client;

  const waitFor = async (standby: string) => {
    await client.query(`alter system set synchronous_standby_names = '${standby}'`);
    await client.query('select pg_reload_conf()');
    const shown = async () => (await client.query<[string]>({ text: 'show synchronous_standby_names', rowMode: 'array' })).rows[0]?.[0];
    await eventually(async () => (await shown()) === standby);
  };
  const waiting = async (name: string): Promise<number[]> => (await client.query(WAITING, [name])).rows.map(({ pid }) => pid as number);

  beforeAll(async () => {
    await postgres.start();
    client = new pg.Client({ connectionString: postgres.url() });
    await client.connect();
    await client.query('set synchronous_commit = local');
  });
  afterAll(async () => {
    await client.end();
    await postgres.stop();
    rmSync(dir, { recursive: true });
  });

  it('a write whose commit was cut off before the standby had it is acknowledged when the standby has it, not when it is found', async () => {
    const store = await openTestStore(postgres.url());
    const space = new Workspace(store);
    const before = await space.create('ns/a');
    await waitFor('away');
    let acknowledged = false;
    const update = space.update(before, 'after').then((object) => {
      acknowledged = true;
      return object;
    });
    await eventually(async () => (await waiting('%writes%')).length === 1);
    const [pid] = await waiting('%writes%');
    // Ends the wait; the commit stays.
    await client.query('select pg_terminate_backend($1)', [pid]);
    await eventually(async () => (await waiting('%')).some((other) => other !== pid));
    await pause(200);
    expect(acknowledged).toBe(false);
    await waitFor('');
    const after = await update;
    expect(after.revision).toBeGreaterThan(before.revision);
    await store.close();
  });
});
