import { beforeAll, describe, expect, it } from '@jest/globals';
import { connected } from '../../support/connected.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { postgresUnderTest } from '../../support/postgres-under-test.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { refusalCode, Workspace } from '../../suites/store-under-test.js';
import { openTestStore } from './open-test-store.js';
import { pause } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

/** Finds a session whose commit waits for a standby. */
const WAITING = `select pid from pg_stat_activity where wait_event = 'SyncRep' and application_name like $1`;

describe('with a synchronous standby that is away', () => {
  const postgres = postgresUnderTest({ dir: scratchDirectory() });
  beforeAll(() => postgres.start());
  afterAllTests(() => postgres.stop());
  const client = forAllTests(() => connected({ connectionString: postgres.url(), options: '-c synchronous_commit=local' }));
  const probe = forAllTests(() => connected({ connectionString: postgres.url(), application_name: 'probe' }));

  /**
   * Commits, and cancels the commit's wait. Resolves to whether there was one: commits wait for a standby only once the checkpointer has
   * read the new setting, which may be some time after every session shows it (syncrep.c).
   */
  const commitWaits = async (): Promise<boolean> => {
    let waits = false;
    let ended = false;
    const commit = probe.query(`select pg_logical_emit_message(true, 'probe', '')`).finally(() => (ended = true));
    while (!ended) {
      const pids = await waiting('probe');
      waits ||= pids.length > 0;
      for (const pid of pids) await client.query('select pg_cancel_backend($1)', [pid]);
      await pause(10);
    }
    await commit;
    return waits;
  };
  const waitFor = async (standby: string) => {
    await client.query(`alter system set synchronous_standby_names = '${standby}'`);
    await client.query('select pg_reload_conf()');
    const shown = async () => (await client.query<[string]>({ text: 'show synchronous_standby_names', rowMode: 'array' })).rows[0]?.[0];
    await eventually(async () => (await shown()) === standby);
    if (standby) await eventually(commitWaits);
  };
  const waiting = async (name: string): Promise<number[]> => (await client.query(WAITING, [name])).rows.map(({ pid }) => pid as number);

  it('a write whose commit was cut off before the standby had it is acknowledged once the standby has it, not once it is found', async () => {
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
    // Ends the wait; the commit persists.
    await client.query('select pg_terminate_backend($1)', [pid]);
    await eventually(async () => (await waiting('%')).some((other) => other !== pid));
    await pause(200);
    expect(acknowledged).toBe(false);
    await waitFor('');
    const after = await update;
    expect(after.revision).toBeGreaterThan(before.revision);
    await store.close();
  });

  it('a write whose wait for the standby was cancelled is not acknowledged before the standby has it', async () => {
    const store = await openTestStore(postgres.url());
    const space = new Workspace(store);
    const before = await space.create('ns/b');
    await waitFor('away');
    let answered = false;
    const update = space.update(before, 'after').finally(() => (answered = true));
    await eventually(async () => (await waiting('%writes%')).length === 1);
    // PostgreSQL warns that the commit is only local, and reports success
    await client.query('select pg_cancel_backend($1)', await waiting('%writes%'));
    await eventually(async () => (await waiting('%reads%')).length === 1);
    // the session that looks for the commit does the same
    await client.query('select pg_cancel_backend($1)', await waiting('%reads%'));
    await eventually(async () => (await waiting('%reads%')).length === 1);
    expect(answered).toBe(false);
    // the change is visible although no client has been told
    expect(await store.readChanges(before.revision)).toMatchObject({ events: [{ type: 'MODIFIED', object: { data: 'after' } }] });
    await waitFor('');
    expect((await update).revision).toBeGreaterThan(before.revision);
    await store.close();
  });

  it('a write that the standby does not receive in time has an unknown outcome', async () => {
    const store = await openTestStore(postgres.url(), { writeRetryMs: 500, database: { url: postgres.url(), readTimeoutMs: 500 } });
    const space = new Workspace(store);
    const before = await space.create('ns/c');
    await waitFor('away');
    const update = refusalCode(space.update(before, 'after'));
    await eventually(async () => (await waiting('%writes%')).length === 1);
    await client.query('select pg_cancel_backend($1)', await waiting('%writes%'));
    expect(await update).toBe('OutcomeUnknown');
    await waitFor('');
    await store.close();
  });
});
