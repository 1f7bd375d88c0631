import { describe, expect, it } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import type { StoredObject } from '../../../src/storage/object-store.js';
import { testNeeding } from '../../support/database-needs.js';
import { latest, refusal, refusalCode, value, Workspace } from '../../suites/store-under-test.js';
import { DatabaseProxy } from './database-proxy.js';
import { auditLog } from './log-audit.js';
import { openFixture, pause } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

describe('a store whose connections are lost', () => {
  const fixture = forEachTest(() => openFixture(1));
  const proxy = forEachTest(() => DatabaseProxy.start(fixture.url));

  const openBehindProxy = (writeRetryMs = 10_000) => fixture.open({ database: { url: proxy.url(fixture.url) }, writeRetryMs });
  const kill = async (purpose: string) => {
    const killed = await fixture.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = $1`,
      [`coordination-apiserver ${purpose}`],
    );
    return killed.length;
  };
  const batchWaits = async () => {
    const rows = await fixture.rows(
      `select 1 from pg_stat_activity where datname = current_database() and application_name like '% writes' and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };
  const revisionsSeenBy = async (store: PostgresStore, space: Workspace) => {
    const seen: number[] = [];
    const cache = await fixture.cache(store);
    await cache.watch(space.range(), {}, (items) => {
      for (const item of items) if (item.kind === 'event') seen.push(item.event.revision);
    });
    return seen;
  };

  testNeeding('notifications', 'loses no change when its listener is killed repeatedly', async () => {
    const [writer] = fixture.stores;
    const watcher = await fixture.open();
    const space = new Workspace(writer!);
    const seen = await revisionsSeenBy(watcher, space);
    await eventually(() => watcher.listening);
    const written: number[] = [];
    let object = await space.create('ns/a', '0');
    written.push(object.revision);
    for (let i = 0; i < 60; i++) {
      if (i % 20 === 10) {
        await eventually(() => watcher.listening);
        expect(await kill('notifications')).toBeGreaterThan(0);
      }
      object = await space.update(object, `${i}`);
      written.push(object.revision);
    }
    await eventually(() => seen.length === written.length);
    expect(seen).toEqual(written);
    await eventually(() => watcher.listening);
  });

  it('keeps a batch that had no effect until the counter can be read again', async () => {
    const store = await openBehindProxy();
    const space = new Workspace(store);
    const object = await space.create('ns/a', '1');
    // The store's next batch names the old segment and has no effect, so the counter is read over another connection.
    await fixture.stores[0]!.compactor.rotate();
    proxy.refuseNamed('coordination-apiserver reads');
    const update = space.update(object, '2').then(({ revision }) => revision);
    const early = await Promise.race([update.catch(() => 'refused'), pause(500).then(() => 'waits')]);
    expect(early).toBe('waits');
    proxy.open();
    expect(await update).toBeGreaterThan(object.revision);
  });

  it("sees others' writes without LISTEN, by polling", async () => {
    const [writer] = fixture.stores;
    const watcher = await fixture.open({ listen: false });
    const space = new Workspace(writer!);
    const seen = await revisionsSeenBy(watcher, space);
    const [a, b] = await space.createAll('ns/a', 'ns/b');
    await eventually(() => seen.length === 2);
    expect(seen).toEqual([a!.revision, b!.revision]);
    expect(watcher.listening).toBe(false);
  });

  it('executes updates and deletions although the backend is killed in the middle of a batch', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const [a, b] = await space.createAll('ns/a', 'ns/b');
    await fixture.client.query('begin; select * from revision_counter for update');
    const writes = Promise.all([space.update(a!, 'second'), store!.delete(b!)]);
    await eventually(batchWaits);
    expect(await kill('writes')).toBe(1);
    await fixture.client.query('commit');
    const [updated] = await writes;
    expect((await store!.get(a!.key, latest)).object).toEqual(updated);
    expect((await store!.get(b!.key, latest)).object).toBeUndefined();
    expect((await auditLog(fixture)).faults).toEqual([]);
  });

  it('answers OutcomeUnknown for a creation whose result it cannot know', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    await space.create('ns/a');
    await fixture.client.query('begin; select * from revision_counter for update');
    const creation = refusalCode(space.create('ns/b'));
    await eventually(batchWaits);
    await kill('writes');
    await fixture.client.query('commit');
    expect(await creation).toBe('OutcomeUnknown');
    expect((await space.create('ns/c')).revision).toBeGreaterThan(0);
  });

  it('detects that a batch whose response was lost was committed', async () => {
    const store = await openBehindProxy();
    const space = new Workspace(store);
    const [a, b] = await space.createAll('ns/a', 'ns/b');
    const before = await store.currentRevision();
    proxy.mute = true;
    const writes = Promise.all([space.update(a!, 'second'), store.delete(b!), space.create('ns/c', 'new')]);
    const [direct] = fixture.stores;
    await eventually(async () => (await direct!.currentRevision()) > before);
    proxy.cut();
    const [updated, deleted, created] = await writes;
    expect((await direct!.get(a!.key, latest)).object).toEqual(updated);
    expect((await direct!.get(created.key, latest)).object).toEqual(created);
    expect(await direct!.readChanges(deleted - 1)).toMatchObject({
      events: expect.arrayContaining([expect.objectContaining({ revision: deleted })]),
    });
    expect((await auditLog(fixture)).faults).toEqual([]);
  });

  it('reports who lost a race although the response was lost', async () => {
    const store = await openBehindProxy();
    const [direct] = fixture.stores;
    const space = new Workspace(store);
    const a = await space.create('ns/a');
    const faster = await direct!.update(a, value('faster'));
    const before = await direct!.currentRevision();
    proxy.mute = true;
    const late = refusalCode(space.update(a, 'late'));
    await eventually(async () => (await direct!.currentRevision()) > before);
    proxy.cut();
    expect(await late).toBe('Conflict');
    expect((await direct!.get(a.key, latest)).object).toEqual(faster);
  });

  it('answers Unavailable while the database is away, and recovers when it is back', async () => {
    const store = await openBehindProxy(300);
    const space = new Workspace(store);
    const a = await space.create('ns/a');
    proxy.refuse();
    await pause(50);
    expect(await refusalCode(space.update(a, 'lost'))).toBe('Unavailable');
    // The log of an outage leaves out lines with this code.
    expect(await refusalCode(store.compactor.maintain())).toBe('Unavailable');
    expect(await refusalCode(store.get(a.key, latest))).toBe('Unavailable');
    proxy.open();
    const updated = await space.update(a, 'back');
    expect((await store.get(a.key, latest)).object).toEqual(updated);
  });

  it('refuses writes at once after three seconds of an outage, and accepts them within a second of its end', async () => {
    const store = await openBehindProxy();
    const space = new Workspace(store);
    const [a, b] = await space.createAll('ns/a', 'ns/b');
    proxy.refuse();
    await pause(50);
    const waiting = space.update(a!, 'waited');
    await pause(3_500);
    const asked = performance.now();
    expect(await refusal(space.update(b!, 'refused'))).toMatchObject({ code: 'Unavailable', details: { refused: true } });
    expect(performance.now() - asked).toBeLessThan(1_000);
    proxy.open();
    expect((await waiting).data).toBe('waited');
    expect((await space.update(b!, 'back')).data).toBe('back');
  });

  it('lets writes wait for a commit that takes long after a lost connection', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const [a, b] = await space.createAll('ns/a', 'ns/b');
    await fixture.client.query('begin; select * from revision_counter for update');
    const first = space.update(a!, 'first');
    await eventually(batchWaits);
    expect(await kill('writes')).toBe(1);
    await eventually(batchWaits);
    // Longer than it takes until an outage counts as known.
    await pause(4_000);
    await store!.checkWrites();
    const second = space.update(b!, 'second');
    const early = await Promise.race([second.catch(() => 'refused'), pause(200).then(() => 'waits')]);
    await fixture.client.query('commit');
    expect(early).toBe('waits');
    expect([(await first).data, (await second).data]).toEqual(['first', 'second']);
  });

  it('notices the end of an outage although no write waits for it', async () => {
    const store = await openBehindProxy(100);
    const space = new Workspace(store);
    const a = await space.create('ns/a');
    proxy.refuse();
    await pause(50);
    expect(await refusalCode(space.update(a, 'lost'))).toBe('Unavailable');
    await pause(3_500);
    expect(await refusal(space.update(a, 'refused'))).toMatchObject({ details: { refused: true } });
    proxy.open();
    const opened = performance.now();
    await eventually(() => space.update(a, 'back').then(Boolean, () => false));
    expect(performance.now() - opened).toBeLessThan(5_000);
  });

  it('holds writes while the database accepts none, and sends them over a new session', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    const writers = () =>
      fixture.rows<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and application_name like '% writes'`,
      );
    const [before] = await writers();
    await fixture.client.query(`
      create function take_no_writes() returns trigger language plpgsql as $$
      begin raise exception 'cannot execute UPDATE in a read-only transaction' using errcode = '25006'; end $$;
      create trigger take_no_writes before update on revision_counter execute function take_no_writes()`);
    const update = space.update(a, 'second');
    await eventually(async () => !(await writers()).some(({ pid }) => pid === before!.pid));
    await fixture.client.query('drop trigger take_no_writes on revision_counter');
    const updated = await update;
    expect((await store!.get(a.key, latest)).object).toEqual(updated);
    await store!.checkWrites();
  });

  it('holds writes through a short outage', async () => {
    const store = await openBehindProxy();
    const space = new Workspace(store);
    const objects = await space.createAll('ns/a', 'ns/b', 'ns/c');
    proxy.refuse();
    await pause(20);
    const writes = Promise.all(objects.map((object) => space.update(object, 'second')));
    await pause(100);
    proxy.open();
    for (const updated of await writes) expect((await store.get(updated.key, latest)).object).toEqual(updated);
  });

  it('answers every write correctly while its connections are killed repeatedly', async () => {
    const store = await openBehindProxy();
    const space = new Workspace(store);
    const created = await space.createAll(...Array.from({ length: 16 }, (_, i) => `ns/${i}`));
    const end = Date.now() + 3_000;
    const acknowledged: StoredObject[] = [];
    const writers = created.map(async (first) => {
      let object = first;
      // each writer has a name of its own, so only success is correct
      for (let n = 0; Date.now() < end; n++) {
        object = await space.update(object, `${n}`);
        acknowledged.push(object);
      }
      return object;
    });
    const killer = (async () => {
      for (let n = 0; Date.now() < end; n++) {
        await pause(40);
        if (n % 2) proxy.cut();
        else await kill('writes');
      }
    })();
    await Promise.allSettled([...writers, killer]);
    const newest = await Promise.all(writers);
    await killer;
    for (const object of newest) expect((await fixture.stores[0]!.get(object.key, latest)).object).toEqual(object);
    const logged = await fixture.rows<{ revision: number; data: string }>(`select revision, data from revision_log where kind = 'M'`);
    const dataOf = new Map(logged.map(({ revision, data }) => [revision, data]));
    for (const { revision, data } of acknowledged) expect(dataOf.get(revision)).toBe(data);
    expect(logged).toHaveLength(acknowledged.length);
    expect((await auditLog(fixture)).faults).toEqual([]);
  });
});
