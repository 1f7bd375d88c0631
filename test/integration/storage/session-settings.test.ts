import { describe, expect, it } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import { Database } from '../../../src/storage/database/database.js';
import { testNeeding } from '../../support/database-needs.js';
import { exact, latest, Workspace } from '../../suites/store-under-test.js';
import { silent } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';

/** Settings that an administrator may have made, and what each would break. */
const HOSTILE = {
  synchronous_commit: 'off',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  statement_timeout: '200ms',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '1ms',
  idle_session_timeout: '500ms',
  datestyle: 'SQL, DMY',
  intervalstyle: 'iso_8601',
  timezone: 'Asia/Kathmandu',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  quote_all_identifiers: 'on',
  enable_indexscan: 'off',
  enable_partition_pruning: 'off',
  client_min_messages: 'error',
  search_path: 'pg_catalog',
};

describe('settings of the database or the role', () => {
  const fixture = forEachTest(() => openFixture(1));

  /** For future sessions. */
  const setForDatabase = (settings: Readonly<Record<string, string>>) =>
    fixture.client.query(
      `do $$ begin ${Object.entries(settings)
        .map(([name, value]) => `execute format('alter database %I set ${name} = %L', current_database(), '${value}');`)
        .join(' ')} end $$`,
    );

  const keepsItsBehaviour = async (pooling: 'session' | 'transaction') => {
    await setForDatabase(HOSTILE);
    const store = await fixture.open({ database: { url: fixture.url, pooling } });
    const space = new Workspace(store);
    const [a, b] = await space.createAll('ns/a', 'ns/b');
    const updated = await space.update(a!, 'second');
    expect((await store.list(space.range(), { consistency: exact(b!.revision) })).objects).toEqual([a, b]);
    expect((await store.get(a!.key, latest)).object).toEqual(updated);
    await store.compactor.rotate();
    expect((await store.loadSnapshot(60_000)).objects.filter(({ key }) => key.resource === space.resource)).toEqual([updated, b]);
    await store.compactor.compact(updated.revision);
    const { rows } = await fixture.client.query('select count(*)::int as segments from log_segment');
    expect(rows).toEqual([{ segments: 1 }]);
  };
  testNeeding('sessions', "do not change the behaviour of the store's sessions", () => keepsItsBehaviour('session'));
  it("do not change the behaviour of the store's sessions behind a pooler in transaction mode", () => keepsItsBehaviour('transaction'));

  it('are obeyed if they forbid writes, as managers do to keep a promoted standby from a second history while the old primary may live', async () => {
    await setForDatabase({ default_transaction_read_only: 'on' });
    const database = new Database({ url: fixture.url }, silent);
    const readOnly = /default_transaction_read_only is on/;
    await expect(database.connect('writes')).rejects.toThrow(readOnly);
    await expect(database.query({ name: 'one', text: 'select 1' }, [])).rejects.toMatchObject({
      cause: { message: expect.stringMatching(readOnly) },
    });
    await setForDatabase({ default_transaction_read_only: 'off' });
    await expect(database.query({ name: 'one', text: 'select 1' }, [])).resolves.toHaveLength(1);
    await database.close();
  });

  it.each([
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('do not make commits less durable: synchronous_commit %s becomes %s', async (given, used) => {
    await setForDatabase({ synchronous_commit: given });
    for (const pooling of ['session', 'transaction'] as const) {
      const database = new Database({ url: fixture.url, pooling }, silent);
      const client = await database.connect('writes');
      expect((await client.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: used }]);
      await client.end();
      await database.close();
    }
  });

  it('let commits succeed when the notification queue is full: only the notification is lost', async () => {
    // raises the error of pg_notify's commit earlier than PostgreSQL itself would
    await fixture.client.query(`
      set allow_system_table_mods = on;
      alter function pg_catalog.pg_notify(text, text) rename to real_notify;
      create function pg_catalog.pg_notify(text, text) returns void language plpgsql as $$
      begin raise exception 'too many notifications in the NOTIFY queue' using errcode = '54000'; end $$`);
    const batches: number[] = [];
    const store = await fixture.open({ observer: { committed: ({ writes }) => void batches.push(writes) } });
    const space = new Workspace(store);
    await Promise.all(Array.from({ length: 20 }, (_, i) => space.create(`ns/${i}`)));
    expect(batches).toEqual([20]);
  });
});
