import { beforeEach, describe, expect, it } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import type { ObjectKey, StoredObject, StoreEvent } from '../../../src/storage/object-store.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { isStorageError } from '../../../src/storage/storage-errors.js';
import type { CachedStore } from '../../../src/storage/watch-cache/cached-store.js';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import { InterruptedSource } from '../../support/interrupted-source.js';
import { WatchRecorder } from '../../support/watch-recorder.js';
import { latest, Workspace } from '../../suites/store-under-test.js';
import { openFixture } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

const PAGE = { rows: 20, bytes: 4_000 };

describe('a replica that is far behind', () => {
  let writer: PostgresStore;
  let space: Workspace;

  const fixture = forEachTest(() => openFixture(1));
  beforeEach(() => {
    writer = fixture.stores[0]!;
    space = new Workspace(writer);
  });

  /** Changes a few objects, some of them large; returns the revisions. */
  async function change(objects: StoredObject[], count: number): Promise<number[]> {
    const revisions: number[] = [];
    for (let i = 0; i < count; i++) {
      const at = i % objects.length;
      objects[at] = await space.update(objects[at]!, `${i}`.padEnd(i % 37 === 0 ? 5_000 : 150, '.'));
      revisions.push(objects[at].revision);
    }
    return revisions;
  }

  it('reads the changes page by page, each within the limits on rows and bytes', async () => {
    const reader = await fixture.open({ page: PAGE });
    const objects = await space.createAll('ns/a', 'ns/b', 'ns/c');
    const start = await writer.currentRevision();
    const revisions = await change(objects, 100);
    const events: StoreEvent[] = [];
    let pages = 0;
    for (let after = start, more = true; more; pages++) {
      const changes = await reader.readChanges(after);
      if (changes === 'compacted') throw new Error('compacted');
      expect(changes.events.length).toBeLessThanOrEqual(PAGE.rows);
      const before = changes.events.slice(0, -1).reduce((sum, { object }) => sum + object.data.length, 0);
      expect(before).toBeLessThan(PAGE.bytes);
      events.push(...changes.events);
      after = changes.revision;
      more = changes.more ?? false;
    }
    expect(pages).toBeGreaterThan(5);
    expect(events.map(({ revision }) => revision)).toEqual(revisions);
  });

  it('reads a change whose previous state alone exceeds a page', async () => {
    const reader = await fixture.open({ page: PAGE });
    const object = await space.create('ns/a', 'x'.repeat(3 * PAGE.bytes));
    await writer.compactor.rotate();
    const start = await writer.currentRevision();
    const { revision } = await space.update(object, 'small');
    const changes = await reader.readChanges(start);
    if (changes === 'compacted') throw new Error('compacted');
    expect(changes.events.map((event) => event.revision)).toEqual([revision]);
    const { history } = await reader.loadSnapshot(60_000);
    expect(history.events.map((event) => event.revision)).toContain(revision);
  });

  /** After some seconds without answers, reads are refused until the source has answered again. */
  const untilServed = (cached: CachedStore, key: ObjectKey) =>
    eventually(() =>
      cached.get(key, latest).then(
        ({ object }) => object,
        (error: unknown) => {
          if (isStorageError(error, 'Unavailable')) return undefined;
          throw error;
        },
      ),
    );

  it('delivers every change to its watchers, and serves consistent reads once it has the last page', async () => {
    const source = new InterruptedSource(await fixture.open({ page: PAGE }));
    const cached = await openCachedStore(source);
    const objects = await space.createAll('ns/a', 'ns/b', 'ns/c');
    await cached.currentRevision();
    const recorder = new WatchRecorder();
    await cached.watch(space.range(), {}, recorder.receive);
    source.failure = new Error('away');
    const revisions = await change(objects, 100);
    source.failure = undefined;
    const reads = source.reads;
    expect(await untilServed(cached, objects[0]!.key)).toEqual(objects[0]);
    expect(source.reads - reads).toBeGreaterThan(5);
    await recorder.untilEvents(revisions.length);
    expect(recorder.events.map(({ revision }) => revision)).toEqual(revisions);
    expect(source.snapshots).toBe(1);
    cached.close();
  });

  it('starts over when it is too far behind, and ends watches whose history is gone', async () => {
    const source = new InterruptedSource(await fixture.open({ page: PAGE, maxChanges: 50, historyBytes: 10_000 }));
    const cached = await openCachedStore(source);
    const objects = await space.createAll('ns/a', 'ns/b', 'ns/c');
    await cached.currentRevision();
    const recorder = new WatchRecorder();
    await cached.watch(space.range(), {}, recorder.receive);
    source.failure = new Error('away');
    await change(objects, 100);
    source.failure = undefined;
    expect(await untilServed(cached, objects[0]!.key)).toEqual(objects[0]);
    expect(source.snapshots).toBe(2);
    await eventually(() => recorder.error !== undefined);
    expect(recorder.error).toMatchObject({ code: 'Compacted' });
    cached.close();
  });

  it('loads all objects, and the available history, page by page', async () => {
    const store = await fixture.open({ page: PAGE });
    const objects = await space.createAll(...Array.from({ length: 70 }, (_, i) => `ns/${String(i).padStart(3, '0')}`));
    const revisions = await change(objects, 90);
    const snapshot = await store.loadSnapshot(60_000);
    expect(snapshot.objects.filter(({ key }) => key.resource === space.resource)).toEqual(objects);
    expect(snapshot.history.events.slice(-90).map(({ revision }) => revision)).toEqual(revisions);
    expect(snapshot.history.events).toHaveLength(160);
    const short = await (await fixture.open({ page: PAGE, historyBytes: 5_000 })).loadSnapshot(60_000);
    expect(short.history.events.length).toBeLessThan(40);
    expect(short.history.after).toBe(short.history.events[0]!.revision - 1);
  });

  it('has each state of a snapshot in memory once, whichever page and segment it was read from', async () => {
    const store = await fixture.open({ page: PAGE });
    const objects = await space.createAll('ns/a', 'ns/b', 'ns/c');
    await change(objects, 50);
    await writer.compactor.rotate();
    await change(objects, 50);
    const kept = objects.slice(0, 2);
    await writer.delete(objects[2]!);
    const snapshot = await store.loadSnapshot(60_000);
    const states = new Map<string, StoredObject>();
    let shared = 0;
    for (const { object, previous } of snapshot.history.events.filter(({ object: { key } }) => key.resource === space.resource)) {
      const before = states.get(object.key.name);
      if (before) expect(previous).toBe(before);
      if (before) shared += 1;
      states.set(object.key.name, object);
    }
    expect(shared).toBe(101);
    for (const { key } of kept) expect(snapshot.objects.find((object) => object.key.name === key.name)).toBe(states.get(key.name));
  });
});
