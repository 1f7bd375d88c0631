import { describe, expect, it, jest, test } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import type { StoreEvent } from '../../../src/storage/object-store.js';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import { exact, latest, refusalCode, value, Workspace } from '../../suites/store-under-test.js';
import { openFixture } from './postgres-fixture.js';

describe('the edge of a compaction', () => {
  const fixture = forEachTest(() => openFixture(1));

  /** The changes after a revision, as read by a newly started store. */
  const changesAfter = async (revision: number): Promise<readonly StoreEvent[] | 'compacted'> => {
    const reader = await fixture.open();
    const changes = await reader.readChanges(revision);
    await reader.close();
    return changes === 'compacted' ? changes : changes.events;
  };

  it('keeps every change after the compacted revision, including deletions and recreated objects', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    const b = await space.create('ns/b');
    const updated = await space.update(a, 'second');
    await store!.compactor.rotate();
    const revisions = [a.revision, b.revision, updated.revision, await store!.delete(updated)];
    const again = await space.create('ns/a');
    await store!.compactor.rotate();
    revisions.push(again.revision, await store!.delete(b), await store!.delete(again));
    for (const compacted of revisions) {
      await store!.compactor.compact(compacted);
      for (const from of revisions) {
        const changes = await changesAfter(from);
        if (from < compacted) expect(changes).toBe('compacted');
        else expect((changes as readonly StoreEvent[]).map(({ revision }) => revision)).toEqual(revisions.filter((each) => each > from));
      }
    }
  });

  it('can be listed, and earlier revisions cannot', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    const b = await space.create('ns/b');
    const deleted = await store!.delete(a);
    await store!.compactor.rotate();
    await store!.compactor.compact(deleted);
    const c = await space.create('ns/c');
    expect((await store!.list(space.range(), { consistency: exact(deleted) })).objects).toEqual([b]);
    expect((await store!.list(space.range(), { consistency: latest })).objects).toEqual([b, c]);
    expect(await refusalCode(store!.list(space.range(), { consistency: exact(b.revision) }))).toBe('Compacted');
  });

  it('does not lower the newest revision, even if no row with it is left', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const deleted = await store!.delete(await space.create('ns/a'));
    for (let rotation = 0; rotation < 2; rotation++) await store!.compactor.rotate();
    await store!.compactor.compact(Number.MAX_SAFE_INTEGER);
    expect(await fixture.rows('select * from objects')).toEqual([]);
    const restarted = await fixture.open();
    expect(await restarted.currentRevision()).toBe(deleted);
    const cached = await openCachedStore(restarted);
    try {
      const { resource } = space.range();
      const next = await cached.create({ resource, namespace: 'ns', name: 'a' }, value('next'));
      expect(next.revision).toBeGreaterThan(deleted);
    } finally {
      cached.close();
    }
  });
});

test('each replica compares its clock with the database’s, whoever does the maintenance', async () => {
  await using fixture = await openFixture(1);
  const ahead: number[] = [];
  const store = await fixture.open({ observer: { comparedClocks: (seconds) => ahead.push(seconds) } });
  const { now } = Date;
  const wallClock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
  try {
    await fixture.stores[0]!.compactor.maintain();
    expect(await store.compactor.maintain()).toBe('elsewhere');
    expect(ahead.at(-1)).toBeCloseTo(-60, 0);
  } finally {
    wallClock.mockRestore();
  }
});
