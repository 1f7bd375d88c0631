import { afterEach, describe, expect, it } from '@jest/globals';
import type { KeyRange, Watch, WatchOptions } from '../../src/storage/object-store.js';
import { WATCH_BACKLOG_BYTES, isStorageError } from '../../src/storage/storage-errors.js';
import { WatchRecorder } from '../support/watch-recorder.js';
import { type SuiteContext, any, exact, latest, notOlderThan, Workspace } from './store-under-test.js';

/** The store suite's tests of watches. */
export function watchSuite(context: SuiteContext): void {
  const started: Watch[] = [];
  afterEach(() => {
    for (const watch of started.splice(0)) watch.close();
  });
  const start = async (range: KeyRange, options: WatchOptions = {}) => {
    const recorder = new WatchRecorder();
    const watch = await context().opened.store.watch(range, options, recorder.receive);
    started.push(watch);
    return { recorder, watch };
  };
  const isRed = ({ data }: { data: string }) => data === 'red';

  describe('watch', () => {
    it('delivers every change of its range once and in order', async () => {
      const { opened, space } = context();
      const { recorder, watch } = await start(space.range());
      const a = await space.create('ns/a', '1');
      const b = await space.create('ns2/b', '1');
      const a2 = await space.update(a, '2');
      const deleted = await opened.store.delete(a2);
      await recorder.untilEvents(4);
      expect(recorder.events).toEqual([
        expect.objectContaining({ type: 'ADDED', revision: a.revision, object: a }),
        expect.objectContaining({ type: 'ADDED', revision: b.revision, object: b }),
        expect.objectContaining({ type: 'MODIFIED', revision: a2.revision, object: a2, previous: a }),
        expect.objectContaining({ type: 'DELETED', revision: deleted, object: { ...a2, revision: deleted }, previous: a2 }),
      ]);
      expect(watch.revision).toBeGreaterThanOrEqual(deleted);
    });

    it('starts with the changes after its start by default', async () => {
      const { space } = context();
      await space.create('ns/a');
      const { recorder } = await start(space.range());
      await space.create('ns/b');
      await recorder.untilEvent('ADDED', 'b');
      expect(recorder.summary).toEqual(['ADDED b']);
    });

    it('is limited to its resource, namespace and name', async () => {
      const { space } = context();
      const inNamespace = await start(space.range('ns'));
      const ofOne = await start(space.range('ns', 'b'));
      const everywhere = await start(space.range());
      await space.createAll('ns2/b', 'ns/a', 'ns-2/b', 'b', 'ns/bb', 'ns/b', 'ns/end');
      await everywhere.recorder.untilEvent('ADDED', 'end');
      await inNamespace.recorder.untilEvent('ADDED', 'end');
      await ofOne.recorder.untilEvent('ADDED', 'b');
      expect(inNamespace.recorder.summary).toEqual(['ADDED a', 'ADDED bb', 'ADDED b', 'ADDED end']);
      expect(ofOne.recorder.events.map(({ object }) => object.key)).toEqual([space.key('ns/b')]);
      expect(everywhere.recorder.events).toHaveLength(7);
    });

    it('of one cluster-scoped name delivers that object only', async () => {
      const { space } = context();
      const { recorder } = await start(space.range('', 'a'));
      await space.createAll('b', 'ns/a', 'a');
      await recorder.untilEvents(1);
      expect(recorder.events.map(({ object }) => object.key)).toEqual([space.key('a')]);
    });

    it('delivers nothing after it is closed', async () => {
      const { space } = context();
      const { recorder, watch } = await start(space.range());
      const fence = await start(space.range());
      await space.create('ns/a');
      await recorder.untilEvents(1);
      watch.close();
      await watch.closed;
      await space.create('ns/b');
      await fence.recorder.untilEvents(2);
      expect(recorder.summary).toEqual(['ADDED a']);
    });

    it('may be closed by its receiver, and more than once', async () => {
      const { opened, space } = context();
      let handed = 0;
      const watch = await opened.store.watch(space.range(), {}, () => {
        handed++;
        watch.close();
      });
      const fence = await start(space.range());
      await space.createAll('ns/a', 'ns/b');
      await fence.recorder.untilEvents(2);
      await watch.closed;
      watch.close();
      expect(handed).toBe(1);
    });

    it('is closed by the store if too much is unsent', async () => {
      const { space } = context();
      const { recorder, watch } = await start(space.range());
      await space.create('ns/a');
      await recorder.untilEvents(1);
      watch.reportBacklog(1_000);
      await space.create('ns/b');
      await recorder.untilEvents(2);
      watch.reportBacklog(WATCH_BACKLOG_BYTES + 1);
      await watch.closed;
      expect(recorder.summary).toEqual(['ADDED a', 'ADDED b']);
    });
  });

  describe('watch after a revision', () => {
    it('delivers every change since then, and continues', async () => {
      const { opened, space } = context();
      const a = await space.create('ns/a', '1');
      const a2 = await space.update(a, '2');
      await space.create('ns/b');
      const { recorder } = await start(space.range(), { after: BigInt(a.revision) });
      await opened.store.delete(a2);
      await recorder.untilEvents(3);
      expect(recorder.summary).toEqual(['MODIFIED a=2', 'ADDED b', 'DELETED a=2']);
    });

    it('continues where a list ended', async () => {
      const { opened, space } = context();
      await space.createAll('ns/a', 'ns/b');
      const { revision } = await opened.store.list(space.range(), { consistency: latest });
      await space.create('ns/c');
      const { recorder } = await start(space.range(), { after: BigInt(revision) });
      await space.create('ns/d');
      await recorder.untilEvents(2);
      expect(recorder.summary).toEqual(['ADDED c', 'ADDED d']);
    });

    it('is silent until a future revision has passed', async () => {
      const { opened, space } = context();
      const current = await opened.store.currentRevision();
      const { recorder } = await start(space.range(), { after: BigInt(current) + 3n });
      const fence = await start(space.range());
      const created = await space.createAll('ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e');
      await fence.recorder.untilEvents(5);
      const expected = created.filter((object) => object.revision > current + 3);
      await recorder.untilEvents(expected.length);
      expect(recorder.events.map(({ object }) => object)).toEqual(expected);
      expect(recorder.error).toBeUndefined();
    });

    it('accepts a revision beyond the safe integers', async () => {
      const { space } = context();
      const { recorder } = await start(space.range(), { after: 2n ** 64n - 1n });
      const fence = await start(space.range());
      await space.create('ns/a');
      await fence.recorder.untilEvents(1);
      expect(recorder.items).toEqual([]);
    });

    it('ends with an error if the history is gone', async () => {
      const { opened, space } = context();
      const [a, b] = await space.createAll('ns/a', 'ns/b', 'ns/c');
      await opened.compact(b!.revision);
      for (const after of [BigInt(a!.revision), 1n]) {
        const { recorder, watch } = await start(space.range(), { after });
        await watch.closed;
        expect(recorder.items).toHaveLength(1);
        expect(recorder.error).toMatchObject({ code: 'Compacted', details: { requested: after } });
        if (isStorageError(recorder.error)) expect(recorder.error.details.current).toBeLessThanOrEqual(b!.revision);
      }
      const { recorder } = await start(space.range(), { after: BigInt(b!.revision) });
      await recorder.untilEvents(1);
      expect(recorder.summary).toEqual(['ADDED c']);
    });
  });

  describe('watch with a predicate', () => {
    it('turns transitions into additions and deletions', async () => {
      const { opened, space } = context();
      const { recorder } = await start(space.range(), { predicate: isRed });
      const never = await space.create('ns/never', 'green');
      await opened.store.delete(await space.update(never, 'blue'));
      const created = await space.create('ns/a', 'green');
      const red = await space.update(created, 'red');
      const still = await space.update(red, 'red');
      const left = await space.update(still, 'green');
      const back = await space.update(left, 'red');
      const deleted = await opened.store.delete(back);
      await recorder.untilEvents(5);
      expect(recorder.events).toEqual([
        expect.objectContaining({ type: 'ADDED', revision: red.revision, object: red }),
        expect.objectContaining({ type: 'MODIFIED', revision: still.revision, object: still }),
        expect.objectContaining({ type: 'DELETED', revision: left.revision, object: { ...still, revision: left.revision } }),
        expect.objectContaining({ type: 'ADDED', revision: back.revision, object: back }),
        expect.objectContaining({ type: 'DELETED', revision: deleted, object: { ...back, revision: deleted } }),
      ]);
    });

    it('does so for past changes as well', async () => {
      const { space } = context();
      const created = await space.create('ns/a', 'red');
      await space.update(created, 'green');
      const { recorder } = await start(space.range(), { after: BigInt(created.revision), predicate: isRed });
      await recorder.untilEvents(1);
      expect(recorder.summary).toEqual(['DELETED a=red']);
    });
  });

  describe('watch with an initial state', () => {
    it('delivers every object in key order, marks the end, and continues', async () => {
      const { opened, space } = context();
      const [b, a2, a] = await space.createAll('ns/b', 'ns-2/a', 'ns/a');
      const { recorder } = await start(space.range(), { initialState: latest });
      await recorder.until(({ bookmarks }) => bookmarks.length === 1);
      await opened.store.delete(b!);
      await recorder.untilEvents(4);
      expect(recorder.events.slice(0, 3)).toEqual([a2, a, b].map((object) => ({ type: 'ADDED', revision: object!.revision, object })));
      expect(recorder.items[3]).toMatchObject({ kind: 'bookmark', initialEventsEnd: true });
      expect(recorder.bookmarks[0]!.revision).toBeGreaterThanOrEqual(a!.revision);
      expect(recorder.summary[3]).toBe('DELETED b');
    });

    it('applies range and predicate', async () => {
      const { space } = context();
      await space.create('ns/a', 'red');
      await space.create('ns/b', 'green');
      await space.create('ns2/a', 'red');
      const { recorder } = await start(space.range('ns'), { initialState: latest, predicate: isRed });
      await recorder.until(({ bookmarks }) => bookmarks.length === 1);
      expect(recorder.summary).toEqual(['ADDED a=red']);
    });

    it('marks the end of an empty state too', async () => {
      const { space } = context();
      for (const initialState of [latest, any]) {
        const { recorder } = await start(space.range(), { initialState });
        await recorder.until(({ items }) => items.length === 1);
        expect(recorder.items[0]).toMatchObject({ kind: 'bookmark', initialEventsEnd: true });
      }
    });

    it('loses no change that is made while it starts', async () => {
      const { space } = context();
      const writes = Array.from({ length: 30 }, (_, i) => () => space.create(`ns/${i}`));
      const watchers = await Promise.all(
        writes.map(async (write) => {
          const writing = write();
          const started = start(space.range(), { initialState: latest });
          await writing;
          return started;
        }),
      );
      for (const { recorder } of watchers) {
        await recorder.untilEvents(30);
        expect(new Set(recorder.summary).size).toBe(30);
        expect(recorder.events).toHaveLength(30);
      }
    });

    it('waits for a minimum revision', async () => {
      const { space } = context();
      const created = await space.create('ns/a');
      const { recorder } = await start(space.range(), { initialState: notOlderThan(created.revision) });
      await recorder.until(({ bookmarks }) => bookmarks.length === 1);
      expect(recorder.events.map(({ object }) => object)).toEqual([created]);
    });

    it('ends with an error if the minimum does not come or the exact state is gone', async () => {
      const { opened, space } = context();
      const starting = start(space.range(), { initialState: notOlderThan(2n ** 62n) });
      await opened.pass?.(3_500);
      const future = await starting;
      await future.watch.closed;
      expect(future.recorder.items).toHaveLength(1);
      expect(future.recorder.error).toMatchObject({ code: 'TooLargeRevision', details: { requested: 2n ** 62n } });
      const past = await start(space.range(), { initialState: exact(1) });
      await past.watch.closed;
      expect(past.recorder.error).toMatchObject({ code: 'Compacted' });
    });
  });

  describe('bookmarks', () => {
    it('come about once a minute, only to watches that requested them, and never go back', async () => {
      const { opened, space } = context();
      if (!opened.pass) return;
      const asked = await start(space.range(), { bookmarks: true, initialState: latest });
      const silent = await start(space.range());
      await asked.recorder.until(({ bookmarks }) => bookmarks.length === 1);
      await opened.pass(50_000);
      expect(asked.recorder.bookmarks).toHaveLength(1);
      const elsewhere = await new Workspace(opened.store).create('ns/a');
      expect(await opened.store.currentRevision()).toBeGreaterThanOrEqual(elsewhere.revision);
      await opened.pass(20_000);
      expect(asked.recorder.bookmarks).toHaveLength(2);
      expect(asked.recorder.bookmarks[1]).toMatchObject({ initialEventsEnd: false });
      expect(asked.recorder.bookmarks[1]!.revision).toBeGreaterThanOrEqual(elsewhere.revision);
      await opened.pass(600_000);
      const revisions = asked.recorder.bookmarks.map(({ revision }) => revision);
      expect(revisions.length).toBeGreaterThanOrEqual(10);
      expect(revisions.length).toBeLessThanOrEqual(14);
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
      expect(silent.recorder.items).toEqual([]);
      asked.watch.close();
      silent.watch.close();
      await opened.pass(120_000);
      expect(asked.recorder.bookmarks).toHaveLength(revisions.length);
    });
  });
}
