import { beforeAll, describe, expect, it } from '@jest/globals';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import { connected } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { postgresUnderTest } from '../../support/postgres-under-test.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { openTestStore } from '../storage/open-test-store.js';
import { pause } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

const LEASES = { resource: 'leases.coordination.k8s.io' };
const latest = { consistency: { kind: 'latest' } } as const;

/*
 * Commits of leases in SQL are visible before they are on disk (docs/decisions/0049-release-early-flush-together.md).
 */
describe('a lease in SQL', () => {
  const postgres = postgresUnderTest({ dir: scratchDirectory() });
  const holders: LeaseClient[] = [];
  beforeAll(async () => {
    await postgres.start();
    await (await openTestStore(postgres.url())).close();
    for (const name of ['one', 'two']) {
      const holder = await LeaseClient.connect(postgres.url());
      if (name === 'one') await holder.session.query(`call coordination.lease_create_namespace('default')`);
      await holder.acquire(name, 'a', '1h');
      // whatever the caller's session says
      if (name === 'two') await holder.session.query('set synchronous_commit = off');
      holders.push(holder);
    }
  });
  afterAllTests(() => postgres.stop());
  const admin = forAllTests(() => connected({ connectionString: postgres.url(), options: '-c synchronous_commit=local' }));

  const set = async (name: string, value: string) => {
    await admin.query(`alter system set ${name} = '${value}'`);
    await admin.query('select pg_reload_conf()');
    await eventually(
      async () => (await admin.query<{ done: boolean }>(`select current_setting($1) = $2 as done`, [name, value])).rows[0]!.done,
    );
  };
  const waiting = async () =>
    (await admin.query(`select pid from pg_stat_activity where wait_event = 'SyncRep' and application_name = ''`)).rows.length;
  const revisionOf = async (name: string) =>
    Number((await admin.query<{ revision: string }>('select revision from coordination.leases where name = $1', [name])).rows[0]?.revision);
  /** A cache with what a watch of it was told. */
  const watched = async () => {
    const store = await openTestStore(postgres.url());
    const cache = await openCachedStore(store);
    const told: number[] = [];
    await cache.watch(LEASES, {}, (items) => {
      for (const item of items) if (item.kind === 'event') told.push(item.event.revision);
    });
    return { cache, told, close: async () => (cache.close(), await store.close()) };
  };

  it('holds up nobody while it waits for a standby that is away, and servers tell nobody of it', async () => {
    const { cache, told, close } = await watched();
    const before = await revisionOf('one');
    await set('synchronous_standby_names', 'away');
    // commits wait only once the checkpointer has read the setting (syncrep.c)
    let answers = 0;
    const renewals: Promise<unknown>[] = [];
    await eventually(async () => {
      if (answers === renewals.length) renewals.push(holders[0]!.renew('one', 'a').finally(() => answers++));
      return (await waiting()) === 1;
    });
    const [seen, answered] = [told.length, answers];
    renewals.push(holders[1]!.renew('two', 'a').finally(() => answers++));
    // the second one waits for the standby as well, and not for the counter
    await eventually(async () => (await waiting()) === 2);
    expect(await revisionOf('one')).toBeGreaterThan(before);
    await admin.query('begin');
    await admin.query('select from coordination_tables.revision_counter for update nowait');
    await admin.query('rollback');
    let listed = false;
    const list = cache.list(LEASES, latest).finally(() => (listed = true));
    await pause(300);
    expect([answers, listed, told.length]).toEqual([answered, false, seen]);
    await set('synchronous_standby_names', '');
    await Promise.all(renewals);
    const newest = Math.max(await revisionOf('one'), await revisionOf('two'));
    expect((await list).revision).toBeGreaterThanOrEqual(newest);
    await eventually(() => told.at(-1) === newest);
    await close();
  });

  it('that a watch was told of is still there when PostgreSQL crashes before its writer has flushed', async () => {
    await set('wal_writer_delay', '10s');
    const { told, close } = await watched();
    const { rows } = await admin.query<{ text: string }>(`select pg_get_functiondef('coordination.lease_flush'::regproc) as text`);
    await admin.query(`create or replace function coordination.lease_flush(wrote boolean) returns void language plpgsql as $$
      begin perform pg_sleep(60); end $$`);
    const before = await revisionOf('one');
    const [holder] = holders;
    const renewal = holder!.renew('one', 'a').catch((error: unknown) => error);
    const pid = (holder!.session as unknown as { processID: number }).processID;
    await eventually(async () => (await revisionOf('one')) > before);
    const written = await revisionOf('one');
    await eventually(() => told.includes(written));
    // the postmaster goes on, with its start time: nothing else tells that unflushed commits are gone
    process.kill(pid, 'SIGKILL');
    expect(await renewal).toBeInstanceOf(Error);
    const again = await eventually(async () => {
      const client = await connected({ connectionString: postgres.url() }).catch(() => undefined);
      return client ?? false;
    });
    const found = await again.query<{ revision: string }>('select revision from coordination.leases where name = $1', ['one']);
    expect(Number(found.rows[0]?.revision)).toBe(written);
    await again.query(rows[0]!.text);
    await again.end();
    await close();
  });
});
