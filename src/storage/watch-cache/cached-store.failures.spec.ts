import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InterruptedSource } from '../../../test/support/interrupted-source.js';
import { ManualScheduler, settle } from '../../../test/support/manual-scheduler.js';
import { WatchRecorder } from '../../../test/support/watch-recorder.js';
import { any, exact, latest, notOlderThan, refusal, refusalCode, Workspace } from '../../../test/suites/store-under-test.js';
import { RevisionGaps } from '../revisions.js';
import { MemoryStore } from '../memory/memory-store.js';
import type { WatchOptions } from '../object-store.js';
import { CachedStore } from './cached-store.js';
import { openCachedStore } from './open-cached-store.js';

describe('CachedStore', () => {
  let scheduler: ManualScheduler;
  let memory: MemoryStore;
  let source: InterruptedSource;
  let store: CachedStore;
  /** Writes through the cache's own process, and through another process. */
  let own: Workspace;
  const down = new Error('the database is down');

  beforeEach(async () => {
    scheduler = new ManualScheduler();
    memory = new MemoryStore({ scheduler });
    source = new InterruptedSource(memory);
    store = await openCachedStore(source, { scheduler, pollMinMs: 100, pollMaxMs: 2_000 });
    own = new Workspace(store);
  });
  afterEach(() => store.close());

  /** Commits as another process: the feed reports the changes, nobody hands them over. */
  const elsewhere = async <T>(write: () => Promise<T>): Promise<T> => {
    source.foreign = true;
    try {
      return await write();
    } finally {
      source.foreign = false;
    }
  };
  const cached = async (path: string) => (await store.get(own.key(path), any)).object;
  const watch = async (options: WatchOptions = {}) => {
    const recorder = new WatchRecorder();
    return { recorder, watch: await store.watch(own.range(), options, recorder.receive) };
  };

  describe('with own writes', () => {
    it('has them without reading them back', async () => {
      source.failure = down;
      source.deaf = true;
      const created = await own.create('ns/a');
      expect(await cached('ns/a')).toBe(created);
    });

    it('reads them back if another process wrote in between', async () => {
      source.deaf = true;
      await elsewhere(() => own.create('ns/other'));
      const created = await own.create('ns/a');
      expect(await cached('ns/a')).toBeUndefined();
      await settle();
      expect(await cached('ns/a')).toEqual(created);
      expect(await cached('ns/other')).toBeDefined();
    });

    it('does not apply a change twice that it also reads', async () => {
      const { recorder } = await watch();
      await settle();
      source.hold('requests');
      const reading = store.get(own.key('ns/b'), latest);
      await settle();
      const created = await own.create('ns/a', '1');
      await own.update(created, '2');
      await elsewhere(() => own.create('ns/b'));
      source.release();
      expect((await reading).object).toBeDefined();
      await settle();
      expect(recorder.summary).toEqual(['ADDED a=1', 'MODIFIED a=2', 'ADDED b']);
    });

    it('starts over if one of them was lost with its database while changes were being read', async () => {
      const kept = await own.create('ns/a', '1');
      const began = kept.revision + 1_000;
      const gaps = new RevisionGaps([{ ended: kept.revision, began }]);
      const { recorder } = await watch();
      await settle();
      source.hold();
      memory.readChanges = (after) => Promise.resolve({ after, revision: began, events: [], gaps });
      const history = { after: kept.revision, revision: began, events: [] };
      memory.loadSnapshot = () => Promise.resolve({ revision: began, objects: [kept], history, gaps });
      const reading = store.get(own.key('ns/a'), latest);
      await settle();
      await own.update(kept, 'lost');
      source.release();
      expect(await reading).toEqual({ object: kept, revision: began });
      await settle();
      expect(recorder.error).toMatchObject({ code: 'Compacted' });
    });

    it('counts revisions used by refused writes', async () => {
      const created = await own.create('ns/a');
      await own.update(created, '2');
      expect(await refusalCode(own.update(created, '3'))).toBe('Conflict');
      expect(await store.currentRevision()).toBe(await memory.currentRevision());
      source.failure = down;
      await own.create('ns/b');
      expect(await cached('ns/b')).toBeDefined();
    });
  });

  describe('with changes by another process', () => {
    it('shows them to consistent reads even without a notification', async () => {
      source.deaf = true;
      const created = await elsewhere(() => own.create('ns/a'));
      expect(await cached('ns/a')).toBeUndefined();
      expect((await store.get(own.key('ns/a'), latest)).object).toEqual(created);
    });

    it('learns of them from notifications', async () => {
      await scheduler.pass(50);
      await elsewhere(() => own.create('ns/a'));
      await settle();
      expect(await cached('ns/a')).toBeDefined();
    });

    it('reads those of a moment together, and for a consistent read at once', async () => {
      await scheduler.pass(50);
      const before = source.reads;
      for (let n = 0; n < 10; n++) await elsewhere(() => own.create(`ns/${n}`));
      await settle();
      expect(source.reads).toBe(before + 1);
      expect((await store.list(own.range(), { consistency: latest })).objects).toHaveLength(10);
      await elsewhere(() => own.create('ns/later'));
      await settle();
      expect(source.reads).toBe(before + 2);
      await scheduler.pass(20);
      expect(source.reads).toBe(before + 3);
      expect(await cached('ns/later')).toBeDefined();
    });

    it('finds them by polling when notifications do not arrive', async () => {
      source.deaf = true;
      await scheduler.pass(60_000);
      await elsewhere(() => own.create('ns/a'));
      await scheduler.pass(2_000);
      expect(await cached('ns/a')).toBeDefined();
    });

    it('polls often while it finds changes, and rarely while it does not', async () => {
      source.deaf = true;
      for (let i = 0; i < 20; i++) {
        await elsewhere(() => own.create(`ns/${i}`));
        await scheduler.pass(200);
      }
      const before = source.reads;
      for (let i = 20; i < 40; i++) {
        await elsewhere(() => own.create(`ns/${i}`));
        await scheduler.pass(210);
        expect(await cached(`ns/${i}`)).toBeDefined();
      }
      expect(source.reads - before).toBeGreaterThanOrEqual(20);
      await scheduler.pass(10_000);
      const idle = source.reads;
      await scheduler.pass(60_000);
      expect(source.reads - idle).toBe(30);
    });

    it('waits for a minimum revision, and polls once instead of waiting for a notification', async () => {
      source.deaf = true;
      const created = await elsewhere(() => own.create('ns/a'));
      expect((await store.get(own.key('ns/a'), notOlderThan(created.revision))).object).toEqual(created);
    });

    it('starts watches without a start revision after everything that is committed', async () => {
      source.deaf = true;
      await elsewhere(() => own.create('ns/a'));
      const { recorder } = await watch();
      await settle();
      await own.create('ns/b');
      await settle();
      expect(recorder.summary).toEqual(['ADDED b']);
    });

    it('returns exact revisions that it has not read yet', async () => {
      source.deaf = true;
      const created = await elsewhere(() => own.create('ns/a'));
      const list = await store.list(own.range(), { consistency: exact(created.revision) });
      expect(list).toMatchObject({ objects: [created], revision: created.revision });
    });
  });

  describe('with consistent reads', () => {
    it('shares one query among all that wait for it', async () => {
      source.deaf = true;
      await elsewhere(() => own.create('ns/a'));
      const before = source.reads;
      const reads = await Promise.all(Array.from({ length: 100 }, () => store.get(own.key('ns/a'), latest)));
      expect(reads.every(({ object }) => object)).toBe(true);
      expect(source.reads - before).toBe(1);
    });

    it('does not let a reader use the result of a query sent before it arrived', async () => {
      source.deaf = true;
      source.hold();
      const early = store.get(own.key('ns/a'), latest);
      await settle();
      const created = await elsewhere(() => own.create('ns/a'));
      const late = store.get(own.key('ns/a'), latest);
      source.release();
      await early;
      expect((await late).object).toEqual(created);
    });
  });

  describe('while the database is down', () => {
    const nextPoll = () => scheduler.pass(2_500);

    beforeEach(async () => {
      await own.create('ns/a', '1');
      source.failure = down;
      await nextPoll();
    });

    it('serves any state, and reports that it is disconnected', async () => {
      expect((await cached('ns/a'))?.data).toBe('1');
      expect((await store.list(own.range(), { consistency: any })).objects).toHaveLength(1);
      expect(store.health()).toMatchObject({ ready: true, connected: false });
      await scheduler.pass(3_000);
      expect(store.health().lagMs).toBeGreaterThanOrEqual(3_000);
    });

    it('refuses consistent reads when their time is over', async () => {
      const reads = [
        refusal(store.get(own.key('ns/a'), latest)),
        refusal(store.list(own.range(), { consistency: latest })),
        refusal(store.currentRevision()),
        refusal(store.watch(own.range(), { initialState: latest }, () => undefined)),
      ];
      await scheduler.pass(10_500);
      for (const error of await Promise.all(reads)) expect(error).toMatchObject({ code: 'Unavailable', cause: down });
    });

    it('refuses what needs the database at once after three seconds, until it is back', async () => {
      const waiting = store.get(own.key('ns/a'), latest);
      await scheduler.pass(3_000);
      const refused = { code: 'Unavailable', details: { refused: true }, cause: down };
      expect(await refusal(store.get(own.key('ns/a'), latest))).toMatchObject(refused);
      expect(await refusal(store.list(own.range(), { consistency: latest }))).toMatchObject(refused);
      expect(await refusal(store.list(own.range(), { consistency: notOlderThan(10n ** 15n) }))).toMatchObject(refused);
      expect(await refusal(store.currentRevision())).toMatchObject(refused);
      expect(await refusal(store.watch(own.range(), { initialState: latest }, () => undefined))).toMatchObject(refused);
      expect((await cached('ns/a'))?.data).toBe('1');
      source.failure = undefined;
      await scheduler.pass(1_100);
      expect((await waiting).object?.data).toBe('1');
      await settle();
      expect((await store.get(own.key('ns/a'), latest)).object?.data).toBe('1');
    });

    it('serves waiting readers as soon as the database is back', async () => {
      const reading = store.get(own.key('ns/a'), latest);
      await scheduler.pass(2_000);
      source.failure = undefined;
      await scheduler.pass(1_100);
      expect((await reading).object?.data).toBe('1');
      expect(store.health()).toMatchObject({ connected: true });
    });

    it('keeps retrying, with pauses, regardless of the number of readers', async () => {
      const before = source.reads;
      for (let second = 0; second < 60; second++) {
        refusal(store.get(own.key('ns/a'), latest)).catch(() => undefined);
        await scheduler.pass(1_000);
      }
      expect(source.reads - before).toBeGreaterThanOrEqual(50);
      expect(source.reads - before).toBeLessThanOrEqual(85);
    });

    it('keeps watches open, and they miss nothing', async () => {
      const { recorder, watch: running } = await watch({ after: BigInt(store.health().revision) });
      const a = (await memory.get(own.key('ns/a'), latest)).object!;
      await elsewhere(async () => {
        await own.create('ns/b');
        await own.update(a, '2');
      });
      await scheduler.pass(60_000);
      expect(recorder.items).toEqual([]);
      source.failure = undefined;
      await scheduler.pass(1_100);
      expect(recorder.summary).toEqual(['ADDED b', 'MODIFIED a=2']);
      expect(running.revision).toBe(await memory.currentRevision());
    });
  });

  describe('when history is compacted that it has not read', () => {
    /** Makes the follower miss changes that are then compacted. */
    const fallBehind = async (compact: (revisions: { first: number; last: number }) => number) => {
      source.failure = down;
      await scheduler.pass(5_000);
      const [first, last] = await elsewhere(() => own.createAll('ns/b', 'ns/c'));
      memory.compact(compact({ first: first!.revision, last: last!.revision }));
      source.failure = undefined;
      await scheduler.pass(1_100);
      return { first: first!.revision, last: last!.revision };
    };

    it('loads a new snapshot', async () => {
      await own.createAll('ns/a', 'ns/gone');
      source.failure = down;
      await scheduler.pass(5_000);
      const gone = (await memory.get(own.key('ns/gone'), latest)).object!;
      await elsewhere(() => memory.delete(gone));
      await fallBehind(({ last }) => last);
      expect(await own.names(own.range(), { consistency: any })).toEqual(['ns/a', 'ns/b', 'ns/c']);
      await own.create('ns/d');
      expect(await cached('ns/d')).toBeDefined();
    });

    it('ends watches that missed changes, with the revisions in the error', async () => {
      await own.create('ns/a');
      const { recorder, watch: running } = await watch();
      await settle();
      const before = running.revision;
      const { last } = await fallBehind((revisions) => revisions.last);
      await running.closed;
      expect(recorder.items).toHaveLength(1);
      expect(recorder.error).toMatchObject({ code: 'Compacted', details: { requested: BigInt(before), current: last } });
    });

    it('continues watches that wait for a later revision', async () => {
      const { recorder } = await watch({ after: BigInt(store.health().revision) + 2n });
      await settle();
      await fallBehind(({ last }) => last);
      await own.create('ns/d');
      await settle();
      expect(recorder.summary).toEqual(['ADDED d']);
    });

    it('sends watches that wait for a later revision what the snapshot has after it', async () => {
      const { recorder } = await watch({ after: BigInt(store.health().revision) + 1n });
      await settle();
      await fallBehind(({ first }) => first);
      await settle();
      expect(recorder.summary).toEqual(['ADDED c']);
    });

    it('continues without a gap if the snapshot includes enough history', async () => {
      await own.create('ns/a');
      const { recorder } = await watch();
      const before = source.snapshots;
      source.failure = down;
      await scheduler.pass(5_000);
      await elsewhere(() => own.createAll('ns/b', 'ns/c'));
      // The source reports a compaction once, although the snapshot's history reaches back far enough.
      const readChanges = source.readChanges.bind(source);
      source.readChanges = () => {
        source.readChanges = readChanges;
        return Promise.resolve('compacted');
      };
      source.failure = undefined;
      await scheduler.pass(1_100);
      expect(source.snapshots).toBe(before + 1);
      expect(recorder.error).toBeUndefined();
      expect(recorder.summary).toEqual(['ADDED b', 'ADDED c']);
    });

    it('delivers buffered events before it ends a watch', async () => {
      const { recorder, watch: running } = await watch();
      await settle();
      source.readChanges = () => Promise.resolve('compacted');
      source.loadSnapshot = async () => {
        const { revision, objects } = await memory.loadSnapshot();
        return { revision: revision + 5, objects, history: { after: revision + 5, revision: revision + 5, events: [] } };
      };
      await own.create('ns/a');
      await scheduler.pass(20);
      await running.closed;
      expect(recorder.summary).toEqual(['ADDED a']);
      expect(recorder.error).toMatchObject({ code: 'Compacted' });
    });

    it('does not fall behind because of own writes while it loads a new snapshot', async () => {
      const { recorder } = await watch();
      await settle();
      const readChanges = source.readChanges.bind(source);
      source.readChanges = () => {
        source.readChanges = readChanges;
        return Promise.resolve('compacted');
      };
      source.hold();
      const reading = store.currentRevision();
      await settle();
      const created = await own.create('ns/a');
      source.release();
      await reading;
      await settle();
      expect(await cached('ns/a')).toEqual(created);
      expect(recorder.error).toBeUndefined();
      expect(recorder.summary).toEqual(['ADDED a']);
    });

    it('refuses watches that start before its window', async () => {
      const before = store.health().revision;
      await fallBehind(({ last }) => last);
      const { recorder, watch: late } = await watch({ after: BigInt(before) });
      await late.closed;
      expect(recorder.error).toMatchObject({ code: 'Compacted' });
    });
  });

  it('loads a new snapshot and ends all watches if the database went back', async () => {
    await own.createAll('ns/a', 'ns/b');
    const { recorder, watch: running } = await watch();
    const future = await watch({ after: 10n ** 9n });
    await settle();
    const restored = new MemoryStore({ scheduler, initialRevision: 500 });
    await new Workspace(restored).create('ns/z');
    source.readChanges = (after) => restored.readChanges(after);
    source.loadSnapshot = () => restored.loadSnapshot();
    await scheduler.pass(2_100);
    await Promise.all([running.closed, future.watch.closed]);
    expect(recorder.error).toMatchObject({ code: 'Compacted' });
    expect(store.health().revision).toBe(501);
    expect(await own.names(own.range(), { consistency: any })).toEqual([]);
  });

  describe('before its first snapshot', () => {
    it('lets reads of any kind wait', async () => {
      const created = await own.create('ns/a');
      source.hold();
      const starting = new CachedStore(source, { scheduler });
      const started = starting.start();
      const reads = [any, latest, notOlderThan(1), exact(created.revision)].map((kind) => starting.get(own.key('ns/a'), kind));
      const recorder = new WatchRecorder();
      const watching = starting.watch(own.range(), { initialState: any }, recorder.receive);
      await settle();
      expect(starting.health()).toMatchObject({ ready: false, connected: false });
      source.release();
      await started;
      for (const { object } of await Promise.all(reads)) expect(object).toEqual(created);
      await watching;
      await recorder.until(({ bookmarks }) => bookmarks.length === 1);
      expect(recorder.summary).toEqual(['ADDED a']);
      expect(starting.health()).toMatchObject({ ready: true, connected: true });
      starting.close();
    });

    it('cannot be opened while the database is down, but keeps trying once started', async () => {
      source.failure = down;
      await expect(openCachedStore(source, { scheduler })).rejects.toBe(down);
      const starting = new CachedStore(source, { scheduler });
      await expect(starting.start()).rejects.toBe(down);
      source.failure = undefined;
      await scheduler.pass(200);
      expect(starting.health()).toMatchObject({ ready: true });
      starting.close();
    });

    it('fills its window from the database, so that watches continue across a restart', async () => {
      const [a] = await own.createAll('ns/a', 'ns/b', 'ns/c');
      store.close();
      const restarted = await openCachedStore(source, { scheduler });
      const recorder = new WatchRecorder();
      await restarted.watch(own.range(), { after: BigInt(a!.revision) }, recorder.receive);
      await recorder.untilEvents(2);
      expect(recorder.summary).toEqual(['ADDED b', 'ADDED c']);
      restarted.close();
    });
  });

  describe('when it is closed', () => {
    it('refuses a consistent read whose response arrives too late', async () => {
      source.hold();
      const reading = refusalCode(store.get(own.key('ns/a'), latest));
      await settle();
      store.close();
      source.release();
      expect(await reading).toBe('Unavailable');
    });

    it('ends watches and waiting reads, and stops polling', async () => {
      const { watch: running } = await watch();
      source.failure = down;
      await scheduler.pass(3_000);
      const reading = refusalCode(store.get(own.key('ns/a'), latest));
      store.close();
      await running.closed;
      expect(await reading).toBe('Unavailable');
      expect(await refusalCode(store.get(own.key('ns/a'), latest))).toBe('Unavailable');
      const before = source.reads;
      await scheduler.pass(60_000);
      expect(source.reads).toBe(before);
    });
  });
});
