import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Workspace, latest } from '../../../../test/suites/store-under-test.js';
import { ManualScheduler, settle } from '../../../../test/support/manual-scheduler.js';
import { WatchRecorder } from '../../../../test/support/watch-recorder.js';
import { MemoryStore } from '../../memory/memory-store.js';
import type { Watch, WatchOptions } from '../../object-store.js';
import { StorageError, WATCH_BACKLOG_BYTES } from '../../storage-errors.js';
import type { CachedStore } from '../cached-store.js';
import { openCachedStore } from '../open-cached-store.js';
import { WatchCache } from '../state/watch-cache.js';
import { type WatchEnd, CacheWatcher } from './cache-watcher.js';
import { type EventSink, BacklogBudget, Dispatcher } from './dispatcher.js';

describe('a watcher of a CachedStore', () => {
  let scheduler: ManualScheduler;
  let store: CachedStore;
  let space: Workspace;
  let ended: WatchEnd[];
  let failures: unknown[];

  beforeEach(async () => {
    scheduler = new ManualScheduler();
    ended = [];
    failures = [];
    store = await openCachedStore(new MemoryStore({ scheduler }), {
      scheduler,
      historyMs: 60_000,
      observer: { watchEnded: (reason) => ended.push(reason), receiverFailed: (error) => failures.push(error) },
    });
    space = new Workspace(store);
  });
  afterEach(() => store.close());

  const start = async (options: WatchOptions) => {
    const recorder = new WatchRecorder();
    const watch = await store.watch(space.range(), options, recorder.receive);
    return { recorder, watch };
  };
  const fill = async (count: number, bytes: number) => {
    for (let i = 0; i < count; i++) await space.create(`ns/${String(i).padStart(5, '0')}`, 'x'.repeat(bytes));
  };

  describe('that is slow', () => {
    it('receives a large initial state only as fast as it reads, and loses nothing', async () => {
      await fill(20, 1024 * 1024);
      const recorder = new WatchRecorder();
      const sizes: number[] = [];
      const watch: Watch = await store.watch(space.range(), { initialState: latest }, (items) => {
        sizes.push(items.length);
        recorder.receive(items);
        if (sizes.length === 3) watch.reportBacklog(WATCH_BACKLOG_BYTES / 2);
      });
      await settle();
      expect(recorder.events).toHaveLength(3);
      const first = (await store.get(space.key('ns/00000'), latest)).object!;
      await space.update(first, 'renewed');
      await settle();
      expect(recorder.events).toHaveLength(3);
      watch.reportBacklog(1_000);
      await recorder.untilEvents(21);
      expect(recorder.items[20]).toMatchObject({ kind: 'bookmark', initialEventsEnd: true });
      expect(recorder.summary[20]).toBe('MODIFIED 00000=renewed');
      expect(recorder.events[0]?.object).toBe(first);
    });

    it('is closed if it makes no progress', async () => {
      await fill(10, 1024 * 1024);
      const { recorder, watch } = await start({ initialState: latest });
      watch.reportBacklog(WATCH_BACKLOG_BYTES / 2);
      await settle();
      expect(recorder.events.length).toBeLessThan(10);
      await scheduler.pass(31_000);
      await watch.closed;
      expect(ended).toEqual(['slow']);
    });

    it('is closed at once if its backlog is too large', async () => {
      const { watch } = await start({});
      await settle();
      watch.reportBacklog(WATCH_BACKLOG_BYTES + 1);
      await watch.closed;
      expect(ended).toEqual(['slow']);
    });

    it('is closed with an error if the window has moved past it', async () => {
      await fill(3, 1024 * 1024);
      const { recorder, watch } = await start({ initialState: latest });
      watch.reportBacklog(WATCH_BACKLOG_BYTES / 2);
      await settle();
      await space.create('ns/missed');
      store.forgetHistory(store.health().revision);
      watch.reportBacklog(0);
      await watch.closed;
      expect(recorder.error).toMatchObject({ code: 'Compacted' });
      expect(ended).toEqual(['error']);
    });
  });

  describe('of objects that the cache does not keep', () => {
    const PAGES = 2_500;
    const names = (recorder: WatchRecorder) => recorder.events.map(({ type, object }) => `${type} ${object.key.name}`);
    const initialEnd = (recorder: WatchRecorder) => recorder.bookmarks.some(({ initialEventsEnd }) => initialEventsEnd);
    const stored = async (path: string) => (await space.store.get(space.key(path), latest)).object!;
    let reads: number[];
    let beforeRead: (read: number) => Promise<unknown>;

    beforeEach(async () => {
      store.close();
      reads = [];
      beforeRead = () => Promise.resolve();
      const inner = new MemoryStore({ scheduler });
      space = new Workspace(inner);
      await fill(PAGES, 10);
      const list = inner.list.bind(inner);
      inner.list = async (range, options) => {
        await beforeRead(reads.length + 1);
        const answer = await list(range, options);
        reads.push(answer.objects.length);
        return answer;
      };
      store = await openCachedStore(Object.assign(inner, { uncached: space.range().resource }), { scheduler });
    });

    it('receives them in pages, one at a time', async () => {
      const recorder = new WatchRecorder();
      const watch: Watch = await store.watch(space.range(), { initialState: latest }, (items) => {
        recorder.receive(items);
        if (recorder.events.length === 1_000) watch.reportBacklog(WATCH_BACKLOG_BYTES / 2);
      });
      await settle();
      expect(reads).toEqual([1_000, 1_000]);
      expect(recorder.events).toHaveLength(1_000);
      watch.reportBacklog(0);
      await recorder.until(initialEnd);
      expect(reads).toEqual([1_000, 1_000, 500]);
      expect(new Set(names(recorder)).size).toBe(PAGES);
      await space.create('ns/last');
      await recorder.untilEvent('ADDED', 'last');
      expect(recorder.events).toHaveLength(PAGES + 1);
    });

    it('receives what changes meanwhile once: as a change of what it has, and otherwise with its page', async () => {
      beforeRead = async (read) => {
        if (read !== 2) return;
        for (const name of ['ns/00010', 'ns/01500']) await space.update(await stored(name), 'changed');
        for (const name of ['ns/00020', 'ns/01600']) await space.store.delete(await stored(name));
        await space.create('ns/00020a');
        await space.create('ns/01600a');
      };
      const { recorder, watch } = await start({ initialState: latest });
      await recorder.until(initialEnd);
      const seen = names(recorder);
      expect(seen.slice(1_000, 1_003)).toEqual(['MODIFIED 00010', 'DELETED 00020', 'ADDED 00020a']);
      expect(seen).toEqual(expect.arrayContaining(['ADDED 01500', 'ADDED 01600a']));
      expect(seen).not.toContain('ADDED 01600');
      expect(new Set(seen).size).toBe(seen.length);
      expect(recorder.summary).toContain('ADDED 01500=changed');
      const revisions = recorder.events.slice(1_000, 1_003).map(({ revision }) => revision);
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
      expect(watch.revision).toBe(recorder.bookmarks[0]!.revision);
    });

    it('ends with an error if a page cannot be read', async () => {
      beforeRead = (read) => (read < 2 ? Promise.resolve() : Promise.reject(new StorageError('TooManyReads', 'busy')));
      const { recorder, watch } = await start({ initialState: latest });
      await watch.closed;
      expect(recorder.error).toMatchObject({ code: 'TooManyReads' });
      expect(store.statistics().watchers).toBe(0);
    });

    it('reads no further once it is closed', async () => {
      const { watch } = await start({ initialState: latest });
      beforeRead = () => {
        watch.close();
        return Promise.resolve();
      };
      await watch.closed;
      await settle();
      expect(reads).toEqual([1_000, 1_000]);
    });
  });

  it('receives a long history in portions, and every event once', async () => {
    const { revision } = await store.list(space.range(), { consistency: latest });
    await fill(1_234, 10);
    const sizes: number[] = [];
    const recorder = new WatchRecorder();
    const watch = await store.watch(space.range(), { after: BigInt(revision) }, (items) => {
      sizes.push(items.length);
      recorder.receive(items);
    });
    await settle();
    await space.create('ns/last');
    await recorder.untilEvent('ADDED', 'last');
    expect(recorder.events).toHaveLength(1_235);
    expect(new Set(recorder.summary).size).toBe(1_235);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
    expect(watch.revision).toBe(store.health().revision);
  });

  it('receives the changes of one turn as one batch', async () => {
    const sizes: number[] = [];
    await store.watch(space.range(), {}, (items) => sizes.push(items.length));
    await settle();
    await Promise.all([space.create('ns/a'), space.create('ns/b'), space.create('ns/c')]);
    await settle();
    expect(sizes).toEqual([3]);
  });

  it('advances with the cache when other objects change', async () => {
    const { recorder, watch } = await start({});
    await settle();
    const other = await new Workspace(store).create('ns/a');
    await settle();
    expect(recorder.items).toEqual([]);
    expect(watch.revision).toBe(other.revision);
  });

  describe('whose receiver or predicate throws', () => {
    const thrown = new Error('not handled');
    const broken = () => {
      throw thrown;
    };

    it('is closed, and no other watcher is', async () => {
      const good = await start({});
      const badReceiver = await store.watch(space.range(), {}, broken);
      const badPredicate = await store.watch(space.range(), { predicate: broken }, () => undefined);
      const badStart = await store.watch(space.range(), { predicate: broken, after: 1_000n }, () => undefined);
      await settle();
      await space.create('ns/a');
      await good.recorder.untilEvents(1);
      await Promise.all([badReceiver.closed, badPredicate.closed, badStart.closed]);
      await space.create('ns/b');
      await good.recorder.untilEvents(2);
      expect(ended).toEqual(['receiver', 'receiver', 'receiver']);
      expect(failures).toEqual([thrown, thrown, thrown]);
    });
  });

  it('leaves nothing behind when it is closed', async () => {
    const before = scheduler.pending;
    const { watch } = await start({ bookmarks: true, initialState: latest });
    await settle();
    expect(scheduler.pending).toBeGreaterThan(before);
    expect(store.statistics().watchers).toBe(1);
    watch.close();
    expect(scheduler.pending).toBe(before);
    expect(store.statistics().watchers).toBe(0);
  });

  it('is removed from the dispatcher when it is closed', async () => {
    const sinks = new Set<EventSink>();
    class ObservedDispatcher extends Dispatcher {
      override add(sink: EventSink): void {
        sinks.add(sink);
        super.add(sink);
      }

      override remove(sink: EventSink): void {
        sinks.delete(sink);
        super.remove(sink);
      }
    }
    const cache = new WatchCache({ historyMs: 1_000, maxBytes: 1_000 }, scheduler);
    const host = {
      cache,
      dispatcher: new ObservedDispatcher(),
      scheduler,
      observer: {},
      budget: new BacklogBudget([]),
      ended: () => undefined,
    };
    const watcher = new CacheWatcher({ range: space.range(), options: {}, receive: () => undefined }, host, 0);
    watcher.start();
    await settle();
    expect(sinks.has(watcher)).toBe(true);
    watcher.close();
    expect(sinks.size).toBe(0);
  });

  it('can start after the oldest revision that the store reports, and not before', async () => {
    await space.createAll('ns/a', 'ns/b', 'ns/c');
    store.forgetHistory(store.health().revision - 1);
    const { oldestRevision, objects } = store.statistics();
    expect(objects).toBe(3);
    const { recorder } = await start({ after: BigInt(oldestRevision) });
    await recorder.untilEvents(1);
    expect(recorder.summary).toEqual(['ADDED c']);
    const early = await start({ after: BigInt(oldestRevision) - 1n });
    await early.watch.closed;
    expect(early.recorder.error).toMatchObject({ code: 'Compacted', details: { current: oldestRevision } });
  });

  it('receives no bookmarks while it waits for a future revision', async () => {
    const { recorder } = await start({ after: 10n ** 9n, bookmarks: true });
    await scheduler.pass(180_000);
    expect(recorder.items).toEqual([]);
  });
});
