import { describe, expect, test } from '@jest/globals';
import { countStates, renewalsPerSecond, selectLeases } from './lease-query.js';
import { observeLease } from './observe-lease.js';
import type { ObservedLease } from './observed-lease.js';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const lease = (namespace: string, name: string, holderIdentity: string, ago: number, leaseTransitions = 0) =>
  observeLease(
    undefined,
    {
      metadata: { namespace, name, uid: name, resourceVersion: '1' },
      spec: { holderIdentity, leaseTransitions, leaseDurationSeconds: 15, renewTime: new Date(NOW - ago * 1000).toISOString() },
    },
    { now: NOW, live: false },
  );
const all = [lease('b', 'one', 'Zoe', 1, 5), lease('a', 'two', 'ann', 12, 2), lease('a', 'one', 'bob', 99), lease('c', 'three', '', 3)];
const flaps = ({ key }: ObservedLease, now: number) => key === 'a/two' && now === NOW;
const base = { search: '', state: undefined, sort: 'name', descending: false } as const;
const keys = (query: object) => selectLeases(all, { ...base, ...query }, NOW, flaps).map(({ key }) => key);

describe('the list of leases', () => {
  test.each([
    [{}, ['a/one', 'a/two', 'b/one', 'c/three']],
    [{ descending: true }, ['c/three', 'b/one', 'a/two', 'a/one']],
    [{ sort: 'state' }, ['a/one', 'a/two', 'b/one', 'c/three']],
    [{ sort: 'renewed' }, ['b/one', 'c/three', 'a/two', 'a/one']],
    [{ sort: 'transitions', descending: true }, ['b/one', 'a/two', 'a/one', 'c/three']],
    [{ search: 'ONE' }, ['a/one', 'b/one']],
    [{ search: 'zoe one' }, ['b/one']],
    [{ search: 'holder:ann' }, ['a/two']],
    [{ search: 'holder:one' }, []],
    [{ search: 'state:expired' }, ['a/one']],
    [{ search: 'state:flapping a' }, ['a/two']],
    [{ search: 'state:nonsense' }, []],
    [{ state: 'due' }, ['a/two']],
    [{ state: 'flapping' }, ['a/two']],
  ])('with %j is %j', (query, expected) => {
    expect(keys(query)).toEqual(expected);
  });

  test('has numbers in names in the order of numbers', () => {
    const parts = ['p-10', 'p-9', 'p-2'].map((name) => lease('a', name, 'x', 1));
    expect(selectLeases(parts, base, NOW, flaps).map(({ key }) => key)).toEqual(['a/p-2', 'a/p-9', 'a/p-10']);
  });

  test('counts states', () => {
    expect(countStates(all, NOW, flaps)).toEqual({ held: 1, due: 1, expired: 1, released: 1, 'never-held': 0, flapping: 1 });
  });

  test('a rate falls while no renewals arrive, and is unknown until two have arrived', () => {
    const renewed = { ...all[0]!, intervalMs: 2000, renewedAt: NOW };
    expect(renewalsPerSecond(renewed, NOW + 500)).toBe(0.5);
    expect(renewalsPerSecond(renewed, NOW + 10_000)).toBe(0.1);
    expect(renewalsPerSecond(all[0]!, NOW)).toBeUndefined();
  });
});
