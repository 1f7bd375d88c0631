import { describe, expect, it } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import type { LineageChange } from '../../../src/storage/postgres/lineage/lineage.js';
import { testNeeding } from '../../support/database-needs.js';
import { bumpRevision } from '../../../src/storage/maintenance/bump-revision.js';
import { Database } from '../../../src/storage/database/database.js';
import { WatchRecorder } from '../../support/watch-recorder.js';
import { createTestDatabase, serverUrl } from '../../support/test-database.js';
import { exact, latest, refusalCode, Workspace } from '../../suites/store-under-test.js';
import { connected, rowsOf } from '../../support/connected.js';
import { openTestStore, silent } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

interface Lineage {
  readonly id: number;
  readonly ended: number;
  readonly began: number;
}

describe('after a failover or a restore', () => {
  const fixture = forEachTest(() => openFixture(2));

  /** The state of a promoted standby: the counter's row belongs to another run of PostgreSQL. */
  const failOver = () => fixture.client.query(`update revision_counter set server_started = server_started - interval '1 hour'`);
  const lineages = () => fixture.rows<Lineage>('select id, ended, began from revision_lineage order by began');

  it('one lineage begins by the clock, whichever server notices first, and the history continues', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    const otherSpace = new Workspace(other!);
    const a = await space.create('ns/a', 'before');
    const b = await otherSpace.create('ns/b', 'before');
    const before = await lineages();
    await failOver();
    const since = Date.now() * 1000;
    const [updated, second] = await Promise.all([space.update(a, 'after'), otherSpace.update(b, 'after')]);
    const begun = (await lineages()).slice(before.length);
    expect(begun).toEqual([{ id: expect.any(Number), ended: b.revision, began: expect.any(Number) }]);
    expect(begun[0]!.began).toBeGreaterThan(since - 1000);
    expect(begun[0]!.began).toBeLessThanOrEqual(Date.now() * 1000 + 1000);
    for (const { revision } of [updated, second]) expect(revision).toBeGreaterThan(begun[0]!.began);
    expect(await other!.readChanges(b.revision)).toMatchObject({
      after: b.revision,
      events: expect.arrayContaining([
        { type: 'MODIFIED', revision: updated.revision, object: updated, previous: a },
        { type: 'MODIFIED', revision: second.revision, object: second, previous: b },
      ]),
    });
    expect((await store!.get(a.key, exact(b.revision))).object).toEqual(a);
  });

  it('a write based on an earlier read is refused, and other writes of its batch are executed', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const [a, b] = [await space.create('ns/a'), await space.create('ns/b')];
    const premise = await store!.currentRevision();
    await failOver();
    const refused = refusalCode(store!.delete(a, { requester: { premise } }));
    const [code, updated] = await Promise.all([refused, store!.update(b, { ...b, data: 'after' })]);
    expect(code).toBe('Abandoned');
    expect(updated.data).toBe('after');
    expect((await store!.get(a.key, latest)).object).toEqual(a);
    await store!.delete(a, { requester: { premise: await store!.currentRevision() } });
    expect((await store!.get(a.key, latest)).object).toBeUndefined();
  });

  it('the store reports which revisions were lost and where the lineage began', async () => {
    const changes: LineageChange[] = [];
    const store = await fixture.open({ observer: { lineageChanged: (change) => void changes.push(change) } });
    const space = new Workspace(store);
    const a = await space.create('ns/a');
    const first = { start: store.lineage.start, gaps: store.lineage.gaps.count };
    expect(first.start).toBeLessThan(a.revision);
    const before = await fixture.rows<{ lineage: number }>('select lineage from revision_counter');
    const since = Date.now();
    await failOver();
    const b = await space.update(a, 'after');
    expect(changes).toEqual(['continued']);
    expect([store.lineage.start, store.lineage.gaps.count]).toEqual([b.revision - 1, first.gaps + 1]);
    expect(store.lineage.foundAt).toBeGreaterThanOrEqual(since);
    // the state of a standby that received nothing of the last lineage
    await fixture.client.query('delete from revision_lineage where began > $1', [a.revision]);
    await fixture.client.query('update revision_counter set value = $1, lineage = $2', [a.revision, before[0]?.lineage]);
    await failOver();
    expect(await store.currentRevision()).toBeGreaterThan(b.revision);
    expect(changes).toEqual(['continued', 'lost']);
  });

  it('revisions that this history never assigned are refused as compacted', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    const cache = await fixture.cache(store!);
    await failOver();
    await space.update(a, 'after');
    const lost = a.revision + 1;
    expect(await store!.readChanges(lost)).toBe('compacted');
    expect(await refusalCode(store!.get(a.key, exact(lost)))).toBe('Compacted');
    expect(await refusalCode(store!.list(space.range(), { consistency: exact(lost), limit: 1 }))).toBe('Compacted');
    const recorder = new WatchRecorder();
    await (
      await cache.watch(space.range(), { after: BigInt(lost) }, recorder.receive)
    ).closed;
    expect(recorder.error).toMatchObject({ code: 'Compacted' });
  });

  it('watches continue if nothing was lost', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    const recorder = new WatchRecorder();
    const cache = await fixture.cache(store!);
    const watch = await cache.watch(space.range(), {}, recorder.receive);
    await failOver();
    await space.update(a, 'after');
    await recorder.untilEvents(1);
    expect(recorder.summary).toEqual(['MODIFIED a=after']);
    watch.close();
  });

  it('a counter that went back under running servers is raised above the revisions they have seen, even if the clock is behind', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    const future = a.revision + 3_600_000_000;
    await fixture.client.query('update revision_counter set value = $1', [future]);
    const seen = await space.update(a, 'seen');
    await fixture.client.query('update revision_counter set value = $1', [a.revision]);
    await fixture.client.query('delete from revision_log where revision > $1', [a.revision]);
    await fixture.client.query('update objects set revision = $1, data = $2 where revision > $1', [a.revision, a.data]);
    expect(await store!.readChanges(seen.revision)).toBe('compacted');
    const next = await new Workspace(other!).create('ns/b');
    expect(next.revision).toBeGreaterThan(seen.revision);
    expect(await store!.readChanges(seen.revision)).toBe('compacted');
    expect((await store!.get(a.key, latest)).object).toEqual(a);
  });

  it('a counter that is ahead of the clock jumps as well', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    const ahead = Date.now() * 1000 + 3_600_000_000;
    await fixture.client.query('update revision_counter set value = $1', [ahead]);
    await failOver();
    expect((await space.update(a, 'after')).revision).toBe(ahead + 1_000_000_001);
  });

  it('servers that start on a running database begin no lineage', async () => {
    const before = await lineages();
    await Promise.all([fixture.open(), fixture.open()]);
    expect(await lineages()).toEqual(before);
  });

  testNeeding('no pooler', 'a copy of the database on the same PostgreSQL begins a lineage, and the original keeps its own', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    await Promise.all([store!.close(), other!.close(), fixture.client.end()]);
    const name = new URL(fixture.url).pathname.slice(1);
    await using admin = await connected(serverUrl());
    for (let i = 0; i < 2; i++) {
      await admin.query(`create database copy_${name} template ${name}`);
      const copy = await openTestStore(fixture.url.replace(name, `copy_${name}`));
      expect(await copy.currentRevision()).toBeGreaterThan(a.revision + 1000);
      expect((await copy.get(a.key, latest)).object).toEqual(a);
      await copy.close();
      await admin.query(`drop database copy_${name}`);
    }
    const again = await openTestStore(fixture.url);
    expect(await again.currentRevision()).toBe(a.revision);
    await again.close();
  });

  it('bump-revision continues above a given revision and makes every client list again', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    const recorder = new WatchRecorder();
    const cache = await fixture.cache(other!);
    const watch = await cache.watch(space.range(), { after: BigInt(a.revision) }, recorder.receive);
    const database = new Database({ url: fixture.url }, silent);
    const began = await bumpRevision(database, a.revision + 86_400_000_000);
    await database.close();
    expect(began).toBeGreaterThan(a.revision + 86_400_000_000);
    expect((await space.update(a, 'after')).revision).toBe(began + 1);
    await watch.closed;
    expect(recorder.error).toMatchObject({ code: 'Compacted' });
    expect(await refusalCode(other!.get(a.key, exact(a.revision)))).toBe('Compacted');
    expect(await fixture.compactedRevision()).toBe(began);
  });

  it('compaction removes old lineages with the log', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    let object = await space.create('ns/a');
    for (let i = 0; i < 3; i++) {
      await failOver();
      object = await space.update(object, `${i}`);
    }
    const all = await lineages();
    await store!.compactor.compact(all.at(-2)!.began);
    expect(await lineages()).toEqual(all.slice(-2));
    await store!.compactor.compact(object.revision);
    expect(await lineages()).toEqual(all.slice(-1));
  });

  testNeeding('sessions', 'a connection that leads to another cluster is refused until it leads back', async () => {
    // a function in place of the system's own sets the cluster id
    await fixture.client.query(`
      create table cluster as select 7::bigint as system_identifier;
      grant select on cluster to public;
      set allow_system_table_mods = on;
      alter function pg_catalog.pg_control_system() rename to real_control_system;
      create function pg_catalog.pg_control_system(out system_identifier bigint)
        language sql as 'select system_identifier from coordination_tables.cluster'`);
    const store = await fixture.open({ writeRetryMs: 200 });
    const space = new Workspace(store);
    const a = await space.create('ns/a');
    const goTo = async (cluster: number) => {
      await fixture.client.query('update cluster set system_identifier = $1', [cluster]);
      await fixture.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name ~ 'writes|reads'`,
      );
    };
    await goTo(8);
    expect(['Unavailable', 'OutcomeUnknown']).toContain(await refusalCode(space.update(a, 'lost')));
    await goTo(7);
    expect((await space.update(a, 'back')).revision).toBeLessThan(a.revision + 100);
  });

  it('the store needs neither functions of the write-ahead log nor the cluster id', async () => {
    const empty = await createTestDatabase();
    const admin = await connected(empty.url);
    // Rights on functions are per database.
    const withheld = 'pg_current_wal_lsn(), pg_walfile_name(pg_lsn), pg_control_system(), pg_control_checkpoint()';
    const role = `managed_${process.pid}`;
    try {
      await admin.query(`revoke execute on function ${withheld} from public; create role ${role} login password 'x'`);
      await admin.query(`create schema ${role} authorization ${role}; create schema ${role}_tables authorization ${role}`);
      const url = empty.url.replace(/\/\/[^@]*@/, `//${role}:x@`);
      const database = { url, schema: role };
      await expect(rowsOf(url, 'select pg_current_wal_lsn()')).rejects.toThrow('permission denied');
      await expect(rowsOf(url, 'select pg_control_system()')).rejects.toThrow('permission denied');
      const [store, other] = await Promise.all([openTestStore(url, { database }), openTestStore(url, { database })]);
      const space = new Workspace(store);
      const a = await space.create('ns/a');
      await store.compactor.rotate();
      await admin.query(`update ${role}_tables.revision_counter set server_started = '2020-01-01'`);
      const b = await space.update(a, 'after');
      await eventually(async () => (await other.get(a.key, latest)).object?.revision === b.revision);
      expect(await other.readChanges(a.revision)).toMatchObject({ events: [{ object: b }] });
      await store.compactor.compact(b.revision);
      await Promise.all([store.close(), other.close()]);
    } finally {
      await admin.end();
      await empty.drop();
      await rowsOf(serverUrl(), `drop role if exists ${role}`);
    }
  });
});
