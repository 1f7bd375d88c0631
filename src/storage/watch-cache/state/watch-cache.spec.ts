import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualScheduler } from '../../../../test/support/manual-scheduler.js';
import { pathOf } from '../../../../test/suites/store-under-test.js';
import type { Changes, Snapshot } from '../../change-source.js';
import type { StoredObject, StoreEvent } from '../../object-store.js';
import { WatchCache } from './watch-cache.js';

const key = (name: string) => ({ resource: 'things', namespace: 'ns', name });
const state = (name: string, revision: number, data = 'x'): StoredObject => ({
  key: key(name),
  uid: name,
  data,
  terminating: false,
  revision,
});
const added = (object: StoredObject): StoreEvent => ({ type: 'ADDED', revision: object.revision, object });
const modified = (previous: StoredObject | undefined, object: StoredObject): StoreEvent => ({
  type: 'MODIFIED',
  revision: object.revision,
  object,
  previous,
});
const deleted = (previous: StoredObject, revision: number): StoreEvent => ({
  type: 'DELETED',
  revision,
  object: { ...previous, revision },
  previous,
});
const changes = (after: number, revision: number, ...events: StoreEvent[]): Changes => ({ after, revision, events });
const snapshot = (after: number, revision: number, objects: StoredObject[], ...events: StoreEvent[]): Snapshot => ({
  revision,
  objects,
  history: changes(after, revision, ...events),
});

describe('WatchCache', () => {
  let cache: WatchCache;
  beforeEach(() => {
    cache = new WatchCache({ historyMs: 75_000, maxBytes: 1e6 }, new ManualScheduler());
  });
  const names = (view = cache.stateAt('things', cache.revision)) => {
    const paths: string[] = [];
    view?.scan({ from: '' }, (object) => paths.push(pathOf(object)) > 0);
    return paths;
  };

  it('advances to a revision without events, and never goes back', () => {
    cache.load(snapshot(5, 10, [state('a', 7)]));
    expect(cache.apply(changes(10, 14))).toEqual([]);
    expect(cache.revision).toBe(14);
    expect(cache.apply(changes(5, 12, added(state('late', 12))))).toEqual([]);
    expect(cache.revision).toBe(14);
    expect(names()).toEqual(['ns/a']);
  });

  it('keeps no changes of resources that nobody watches, neither from a snapshot nor later', () => {
    cache = new WatchCache({ historyMs: 75_000, maxBytes: 1e6, uncached: 'things', unwatched: true }, new ManualScheduler());
    const other: StoredObject = { ...state('o', 12), key: { resource: 'others', namespace: 'ns', name: 'o' } };
    cache.load(snapshot(5, 10, [], added(state('a', 7))));
    expect(
      cache.apply(changes(10, 13, added(state('b', 11)), added(other), added(state('c', 13)))).map(({ revision }) => revision),
    ).toEqual([12]);
    const kept: number[] = [];
    cache.history.scan(5, ({ revision }) => kept.push(revision) > 0);
    expect(kept).toEqual([12]);
    expect(cache.revision).toBe(13);
  });

  it('drops events of a batch that it already has', () => {
    cache.load(snapshot(5, 10, []));
    cache.apply(changes(10, 12, added(state('a', 11)), added(state('b', 12))));
    const fresh = cache.apply(changes(10, 13, added(state('a', 11)), added(state('b', 12)), added(state('c', 13))));
    expect(fresh.map(({ revision }) => revision)).toEqual([13]);
    expect(cache.usage.total).toEqual({ objects: 3, bytes: 3 });
  });

  it('keeps each state in memory once, however often it was read', () => {
    const a = state('a', 7);
    cache.load(snapshot(5, 10, [a], added(a)));
    const [renewed] = cache.apply(changes(10, 11, modified({ ...a }, state('a', 11))));
    expect(renewed?.previous).toBe(a);
    const [gone] = cache.apply(changes(11, 12, deleted(state('a', 11), 12)));
    expect(gone?.previous).toBe(renewed?.object);
    expect(gone?.object.data).toBe(renewed?.object.data);
    expect(gone?.object.revision).toBe(12);
  });

  it('knows the previous state of a change even if the feed does not', () => {
    const a = state('a', 7);
    cache.load(snapshot(5, 10, [a]));
    const [event] = cache.apply(changes(10, 11, modified(undefined, state('a', 11))));
    expect(event?.previous).toBe(a);
  });

  it('drops everything when it loads a snapshot', () => {
    cache.load(snapshot(5, 10, [state('a', 7), state('b', 8)]));
    cache.apply(changes(10, 11, added(state('c', 11))));
    expect(names(cache.stateAt('things', 10))).toEqual(['ns/a', 'ns/b']);
    cache.load(snapshot(9, 20, [state('z', 15)], added(state('z', 15))));
    expect(names()).toEqual(['ns/z']);
    expect(names(cache.stateAt('things', 10))).toEqual([]);
    expect(cache.stateAt('things', 8)).toBeUndefined();
    expect(cache.usage.total).toEqual({ objects: 1, bytes: 1 });
    expect(cache.usage.ledgers.objects.namespaces.get('ns')).toEqual({ objects: 1, bytes: 1024 });
  });

  it('counts objects and bytes', () => {
    cache.load(snapshot(5, 10, [state('a', 7, 'xxx'), { ...state('b', 8, 'xx'), key: { resource: 'things', namespace: '', name: 'b' } }]));
    cache.apply(changes(10, 11, modified(undefined, state('a', 11, 'xxxxx'))));
    cache.apply(changes(11, 12, added(state('c', 12, 'x'))));
    expect(cache.usage.ledgers.objects.namespaces.get('ns')).toEqual({ objects: 2, bytes: 2048 });
    expect(cache.usage.total).toEqual({ objects: 3, bytes: 8 });
    cache.apply(changes(12, 14, deleted(state('a', 11), 13), deleted(state('c', 12), 14)));
    expect(cache.usage.ledgers.objects.namespaces.get('ns')).toBeUndefined();
    expect(cache.usage.total).toEqual({ objects: 1, bytes: 2 });
  });
});
