import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Lease } from '../api/kubernetes-objects.js';
import { LeaseStore } from './lease-store.js';

const START = Date.parse('2026-01-02T03:04:05Z');
let store: LeaseStore;
let version = 100;
beforeEach(() => {
  store = new LeaseStore();
});

const at = (seconds: number) => START + seconds * 1000;
const micro = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z');
const lease = (holderIdentity: string, renewed: number, spec: Lease['spec'] = {}, uid = 'u'): Lease => ({
  metadata: { name: 'a', namespace: 'n', uid, resourceVersion: String(++version) },
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: micro(renewed), ...spec },
});
const change = (object: Lease, now: number, live = true, type: 'ADDED' | 'MODIFIED' | 'DELETED' = 'MODIFIED') =>
  store.apply([{ type, object }], { now, live });
const only = () => store.leases.get('n/a')!;

describe('the leases that a page follows', () => {
  test('age by our own observation, since the holder may have another clock', () => {
    store.replace([lease('x', at(-1))], at(0));
    expect(only()).toMatchObject({ renewedAt: at(-1), observed: false });
    change(lease('x', at(-3599)), at(2));
    expect(only()).toMatchObject({ renewedAt: at(2), observed: true, holderAheadMs: -3_601_000 });
  });

  test('a change of the holder is no renewal, and says nothing about the clock of the new one', () => {
    store.replace([lease('x', at(0))], at(0));
    for (const second of [2, 4]) change(lease('x', at(second)), at(second));
    expect(only()).toMatchObject({ intervalMs: 2000, holderAheadMs: 0, renewals: 2 });
    change(lease('y', at(5), { leaseTransitions: 1 }), at(5));
    expect(only()).toMatchObject({ renewedAt: at(5), intervalMs: undefined, holderAheadMs: undefined, renewals: 2 });
    change(lease('', at(7), { leaseTransitions: 1 }), at(7));
    expect(only()).toMatchObject({ intervalMs: undefined, holderAheadMs: undefined, renewals: 2 });
    change(lease('z', at(8), { leaseTransitions: 2 }), at(8));
    change(lease('z', at(12), { leaseTransitions: 2 }), at(12));
    expect(only()).toMatchObject({ intervalMs: undefined, holderAheadMs: 0, renewals: 3 });
    change(lease('z', at(17), { leaseTransitions: 2 }), at(17));
    expect(only()).toMatchObject({ intervalMs: 5000, renewals: 4 });
  });

  test('missed changes are dated between the previous observation and now', () => {
    store.replace([lease('x', at(-1))], at(0));
    for (const [renewed, seen] of [
      [at(4), at(4)],
      [at(-100), at(-1)],
      [at(100), at(20)],
    ] as const) {
      store = new LeaseStore();
      store.replace([lease('x', at(-1))], at(0));
      change(lease('x', renewed), at(20), false);
      expect(only()).toMatchObject({ renewedAt: seen, observed: false });
    }
  });

  test('the time between renewals is smoothed', () => {
    store.replace([lease('x', at(0))], at(0));
    for (const second of [2, 4, 6, 9]) change(lease('x', at(second)), at(second));
    expect(only().intervalMs).toBeCloseTo(2300);
    expect(only().renewals).toBe(4);
    expect(store.meter.perSecond(at(10)).slice(-10)).toEqual([0, 0, 1, 0, 1, 0, 1, 0, 0, 1]);
  });

  test('the rate of all renewals is unknown until a second has passed since the list arrived', () => {
    expect(store.meter.rate(at(0))).toBeUndefined();
    store.replace([lease('x', at(0))], at(10));
    change(lease('x', at(10)), at(10));
    expect(store.meter.rate(at(10))).toBeUndefined();
    expect(store.meter.rate(at(12))).toBe(0.5);
    store.reset();
    store.replace([lease('x', at(12))], at(12));
    expect(store.meter.rate(at(12))).toBeUndefined();
  });

  test('the first page of a list is shown before the whole, and takes nothing away from an earlier list', () => {
    store.begin([lease('x', at(-1), {}, 'u')], at(0));
    expect([store.leases.size, store.loaded, store.sightings]).toEqual([1, false, []]);
    const other = lease('z', at(-1));
    store.replace([only().lease, { ...other, metadata: { ...other.metadata, name: 'b' } }], at(1));
    expect([store.leases.size, store.loaded, store.sightings]).toEqual([2, true, []]);
    store.begin([only().lease], at(2));
    expect(store.leases.size).toBe(2);
  });

  test('a takeover ends a term, begins another with its fencing token, and is recorded', () => {
    store.replace([lease('x', at(0), { acquireTime: micro(at(-50)) })], at(0));
    const taken = lease('y', at(17), { leaseTransitions: 1 });
    change(taken, at(17));
    expect(only().terms).toEqual([
      { holder: 'x', from: at(-50), beganEarlier: false, to: at(17), token: undefined },
      { holder: 'y', from: at(17), to: undefined, token: taken.metadata.resourceVersion },
    ]);
    expect(only().gaps).toEqual([{ from: at(0), to: at(17) }]);
    expect(store.sightings).toMatchObject([{ what: 'taken-over', before: 'x', holder: 'y', silentMs: 17_000 }]);
  });

  test('a term that was under way began no later than the last renewal or write', () => {
    const managedFields = [{ time: new Date(at(-19)).toISOString() }];
    const listed = { ...lease('x', 0), metadata: { ...lease('x', 0).metadata, managedFields }, spec: { holderIdentity: 'x' } };
    store.replace([listed], at(8));
    expect(only().terms).toMatchObject([{ holder: 'x', from: at(-19), beganEarlier: true }]);
    store.replace([], at(9));
    store.replace([lease('x', at(7), { acquireTime: micro(at(-50)) })], at(9));
    expect(only().terms).toMatchObject([{ holder: 'x', from: at(-50), beganEarlier: false }]);
    change(lease('y', at(10)), at(10));
    expect(only().terms.at(-1)?.beganEarlier).toBeUndefined();
  });

  test('a late renewal leaves a gap, a timely one does not', () => {
    store.replace([lease('x', at(0))], at(0));
    change(lease('x', at(2)), at(2));
    change(lease('x', at(14)), at(14));
    expect(only().gaps).toEqual([{ from: at(2), to: at(14) }]);
    expect(store.sightings).toMatchObject([{ what: 'late', silentMs: 12_000 }]);
  });

  test('release and acquisition are recorded', () => {
    store.replace([lease('x', at(0))], at(0));
    change(lease('', at(3)), at(3));
    change(lease('y', at(5), { leaseTransitions: 1 }), at(5));
    expect(store.sightings.map(({ what }) => what)).toEqual(['released', 'acquired']);
    expect(only().terms.map(({ holder, from }) => [holder, from])).toEqual([
      ['x', at(0)],
      ['', at(3)],
      ['y', at(5)],
    ]);
  });

  test('a recreated lease is another lease', () => {
    store.replace([lease('x', at(0), { leaseTransitions: 7 })], at(0));
    change(lease('x', at(1)), at(1), true, 'DELETED');
    expect(store.leases.size).toBe(0);
    change(lease('y', at(2), {}, 'another'), at(2), true, 'ADDED');
    expect(only()).toMatchObject({ transitions: 0, terms: [{ holder: 'y' }], renewals: 0 });
    expect(store.sightings.map(({ what }) => what)).toEqual(['deleted', 'acquired']);
  });

  test('a new list keeps observations and removes missing leases', () => {
    store.replace([lease('x', at(0))], at(0));
    change(lease('x', at(2)), at(2));
    change(lease('x', at(4)), at(4));
    const last = only();
    store.replace([last.lease], at(30));
    expect(only()).toBe(last);
    store.replace([], at(31));
    expect(store.leases.size).toBe(0);
  });

  test('the deletion of an unknown lease changes nothing', () => {
    store.replace([], at(0));
    change(lease('x', at(0)), at(1), true, 'DELETED');
    expect(store.sightings).toEqual([]);
  });

  test('keeps no more than the last thousand sightings', () => {
    store.replace([lease('x', at(0))], at(0));
    for (let turn = 1; turn <= 1500; turn++) change(lease(`holder-${turn}`, at(turn), { leaseTransitions: turn }), at(turn));
    expect(store.sightings).toHaveLength(1000);
    expect(only().terms.length).toBeLessThanOrEqual(50);
    expect(store.sightings.at(-1)).toMatchObject({ holder: 'holder-1500' });
  });
});
