import { beforeEach, describe, expect, it } from '@jest/globals';
import { afterEachTest, forEachTest } from '../../support/for-tests.js';
import type { StoredObject, StoreEvent, Watch } from '../../../src/storage/object-store.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { isStorageError } from '../../../src/storage/storage-errors.js';
import type { CachedStore } from '../../../src/storage/watch-cache/cached-store.js';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import { InterruptedSource } from '../../support/interrupted-source.js';
import { createTestDatabase } from '../../support/test-database.js';
import { WatchRecorder } from '../../support/watch-recorder.js';
import { any, exact, latest, refusal, Workspace } from '../../suites/store-under-test.js';
import { rowsOf } from '../../support/connected.js';
import { openTestStore } from './open-test-store.js';

/** The storage part of a server process. */
class Replica {
  private constructor(
    readonly postgres: PostgresStore,
    readonly source: InterruptedSource,
    readonly cached: CachedStore,
  ) {}

  static async open(url: string, listen: boolean): Promise<Replica> {
    const postgres = await openTestStore(url, { listen });
    const source = new InterruptedSource(postgres);
    return new Replica(postgres, source, await openCachedStore(source));
  }

  async close(): Promise<void> {
    this.cached.close();
    await this.postgres.close();
  }
}

/** Every event must follow from the previous one of its object, and revisions must increase. */
function expectConsistent(events: readonly StoreEvent[]): void {
  const states = new Map<string, StoredObject>();
  let last = 0;
  for (const { type, revision, object, previous } of events) {
    expect(revision).toBeGreaterThan(last);
    last = revision;
    expect(object.revision).toBe(revision);
    const before = states.get(object.key.name);
    expect(previous?.revision).toBe(before?.revision);
    expect(type).toBe(before ? (type === 'DELETED' ? 'DELETED' : 'MODIFIED') : 'ADDED');
    if (type === 'DELETED') states.delete(object.key.name);
    else states.set(object.key.name, object);
  }
}

/** Ends all connections, as a database restart or a network failure does. */
async function cutConnections(url: string): Promise<void> {
  const others = 'datname = current_database() and pid <> pg_backend_pid()';
  await rowsOf(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${others}`);
}

describe.each([{ listen: true }, { listen: false }])('two caches on one database (listening: $listen)', ({ listen }) => {
  let replicas: Replica[];
  let a: Replica;
  let b: Replica;
  let space: Workspace;
  const open = async () => {
    const replica = await Replica.open(database.url, listen);
    replicas.push(replica);
    return replica;
  };

  const database = forEachTest(() => createTestDatabase());
  beforeEach(async () => {
    replicas = [];
    a = await open();
    b = await open();
    space = new Workspace(a.cached);
  });
  afterEachTest(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  const watch = async (replica: Replica, after?: number): Promise<{ recorder: WatchRecorder; watch: Watch }> => {
    const recorder = new WatchRecorder();
    const options = after === undefined ? {} : { after: BigInt(after) };
    return { recorder, watch: await replica.cached.watch(space.range(), options, recorder.receive) };
  };
  const lease = async (name: string) => (await a.cached.get(space.key(`ns/${name}`), latest)).object!;

  /** Creates, renews and deletes under a few names as fast as possible; returns the acknowledged revisions. */
  const writeMany = async (replica: Replica, writer: number, count: number): Promise<number[]> => {
    const revisions: number[] = [];
    for (let i = 0; i < count; i++) {
      const key = space.key(`ns/${(writer + i) % 5}`);
      try {
        const { object } = await replica.cached.get(key, any);
        const value = { uid: `${writer}`, data: `${writer}-${i}`, terminating: false };
        if (!object) revisions.push((await replica.cached.create(key, value)).revision);
        else if (i % 7 === 0) revisions.push(await replica.cached.delete(object));
        else revisions.push((await replica.cached.update(object, value)).revision);
      } catch (error) {
        if (!isStorageError(error)) throw error;
        expect(['Exists', 'NotFound', 'Conflict']).toContain(error.code);
      }
    }
    return revisions;
  };

  it('show every revision of eight writers once and in order, on both', async () => {
    const watches = [await watch(a), await watch(b)];
    const started = await a.cached.currentRevision();
    const writers = Array.from({ length: 8 }, (_, i) => writeMany(i % 2 ? a : b, i, 60));
    const acknowledged = (await Promise.all(writers)).flat().sort((x, y) => x - y);
    expect(acknowledged.length).toBeGreaterThan(60);
    for (const { recorder } of watches) {
      await recorder.untilEvents(acknowledged.length);
      expect(recorder.events.map(({ revision }) => revision)).toEqual(acknowledged);
      expectConsistent(recorder.events);
    }
    const late = await watch(b, started);
    await late.recorder.untilEvents(acknowledged.length);
    expect(late.recorder.events).toEqual(watches[0]!.recorder.events);
    const lists = await Promise.all([a, b].map(({ cached }) => cached.list(space.range(), { consistency: latest })));
    expect(lists[0]!.objects).toEqual(lists[1]!.objects);
    for (const revision of acknowledged.filter((_, i) => i % 25 === 0)) {
      const options = { consistency: exact(revision), limit: 3 };
      const [cached, postgres] = await Promise.all([a.cached.list(space.range(), options), b.postgres.list(space.range(), options)]);
      expect(cached).toEqual(postgres);
    }
  });

  it('let exactly one of 64 writers that race from one state win', async () => {
    const created = await space.create('ns/a');
    const attempts = await Promise.allSettled(
      Array.from({ length: 64 }, (_, i) => (i % 2 ? a : b).cached.update(created, { ...created, data: `racer ${i}` })),
    );
    const winners = attempts.filter(({ status }) => status === 'fulfilled');
    expect(winners).toHaveLength(1);
    for (const replica of [a, b]) {
      const { object } = await replica.cached.get(created.key, latest);
      expect({ status: 'fulfilled', value: object }).toEqual(winners[0]);
    }
  });

  it("return the other's acknowledged writes to every consistent read", async () => {
    let current = await space.create('ns/a', '0');
    for (let i = 1; i <= 40; i++) {
      const [writer, reader] = i % 2 ? [a, b] : [b, a];
      current = await writer.cached.update(current, { ...current, data: `${i}` });
      expect((await reader.cached.get(current.key, latest)).object).toEqual(current);
      const revision = BigInt(current.revision);
      expect((await reader.cached.list(space.range(), { consistency: { kind: 'notOlderThan', revision } })).objects).toEqual([current]);
    }
  });

  it('let clients continue watches and lists across a rolling restart', async () => {
    await space.createAll('ns/a', 'ns/b', 'ns/c', 'ns/d');
    const first = await a.cached.list(space.range('ns'), { consistency: latest, limit: 2 });
    const before = await watch(a, first.revision);
    await space.update(await lease('a'), 'renewed');
    await before.recorder.untilEvents(1);
    let revision = before.watch.revision;
    for (const replica of [a, b]) {
      await replica.close();
      replicas.splice(replicas.indexOf(replica), 1);
      const next = await open();
      const created = await next.cached.create(space.key(`ns/by-${replicas.length}-${revision}`), {
        uid: '',
        data: '',
        terminating: false,
      });
      const { recorder } = await watch(next, revision);
      await recorder.untilEvents(1);
      expect(recorder.error).toBeUndefined();
      expect(recorder.events.map(({ object }) => object)).toEqual([created]);
      revision = created.revision;
      const second = await next.cached.list(space.range('ns'), { consistency: exact(first.revision), start: 'b\0', limit: 2 });
      expect(second.objects.map(({ key }) => key.name)).toEqual(['c', 'd']);
      expect(second.more).toBe(false);
    }
  });

  it('continue without a gap after connections are cut', async () => {
    const { recorder } = await watch(a);
    const acknowledged: number[] = [];
    for (let round = 0; round < 3; round++) {
      await cutConnections(database.url);
      for (let i = 0; i < 5; i++) {
        try {
          const { revision } = await b.cached.create(space.key(`ns/${round}-${i}`), { uid: '', data: '', terminating: false });
          acknowledged.push(revision);
        } catch (error) {
          // a write whose connection was cut may have been committed or not
          if (!isStorageError(error, 'Unavailable') && !isStorageError(error, 'OutcomeUnknown')) throw error;
        }
      }
    }
    expect(acknowledged.length).toBeGreaterThan(5);
    await recorder.until(({ events }) => events.at(-1)?.revision === acknowledged.at(-1));
    expectConsistent(recorder.events);
    expect(recorder.events.map(({ revision }) => revision)).toEqual(expect.arrayContaining(acknowledged));
  });

  it('catch up after the feed of one was cut off for a while', async () => {
    const { recorder } = await watch(a);
    a.source.failure = new Error('cut off');
    const created = await new Workspace(b.cached).store.create(space.key('ns/a'), { uid: '', data: '1', terminating: false });
    const updated = await b.cached.update(created, { ...created, data: '2' });
    expect((await a.cached.get(created.key, any)).object).toBeUndefined();
    expect(await refusal(a.cached.update(created, created))).toMatchObject({ code: 'Conflict' });
    a.source.failure = undefined;
    expect((await a.cached.get(created.key, latest)).object).toEqual(updated);
    await recorder.untilEvents(2);
    expect(recorder.summary).toEqual(['ADDED a=1', 'MODIFIED a=2']);
  });

  it('end watches that missed compacted changes, and still show the newest state', async () => {
    const old = await space.create('ns/old');
    const { recorder, watch: running } = await watch(a);
    await recorder.until(() => running.revision >= old.revision);
    a.source.failure = new Error('cut off');
    await b.cached.delete((await b.cached.get(old.key, latest)).object!);
    const [x, y] = await new Workspace(b.cached).createAll('ns/x', 'ns/y');
    await b.postgres.compactor.rotate();
    await b.postgres.compactor.compact(y!.revision);
    a.source.failure = undefined;
    await running.closed;
    expect(recorder.events).toEqual([]);
    expect(recorder.error).toMatchObject({ code: 'Compacted', details: { current: y!.revision } });
    expect((await a.cached.get(old.key, any)).object).toBeUndefined();
    expect((await a.cached.get(x!.key, any)).object).toEqual(x);
    const again = await watch(a, x!.revision);
    await again.watch.closed;
    expect(again.recorder.error).toMatchObject({ code: 'Compacted' });
  });
});
