import { describe, expect, test } from '@jest/globals';
import type { Lease } from '../api/kubernetes-objects.js';
import { observeLease } from './observe-lease.js';
import { isFlapping, leaseState } from './observed-lease.js';

describe('the state of a lease', () => {
  const NOW = Date.parse('2026-01-02T03:04:05Z');
  const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString().replace('Z', '000Z');
  const lease = (spec: Lease['spec']): Lease => ({
    metadata: {
      name: 'a',
      namespace: 'n',
      uid: '1',
      resourceVersion: '1',
      creationTimestamp: ago(1000),
      managedFields: [{ time: ago(100) }],
    },
    spec,
  });
  const stateOf = (spec: Lease['spec']) => leaseState(observeLease(undefined, lease(spec), { now: NOW, live: false }), NOW);

  test.each([
    [{ holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: ago(2) }, 'held'],
    [{ holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: ago(9.9) }, 'held'],
    [{ holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: ago(10) }, 'due'],
    [{ holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: ago(14.9) }, 'due'],
    [{ holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: ago(15) }, 'expired'],
    // A holder whose clock is ahead.
    [{ holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: ago(-3600) }, 'held'],
    // A lock that does not expire.
    [{ holderIdentity: 'a' }, 'held'],
    [{ holderIdentity: 'a', renewTime: ago(1e6) }, 'held'],
    // Never renewed: it counts from its last write.
    [{ holderIdentity: 'a', leaseDurationSeconds: 15 }, 'expired'],
    [{ holderIdentity: 'a', leaseDurationSeconds: 120 }, 'due'],
    [{ holderIdentity: '', renewTime: ago(1), leaseDurationSeconds: 1 }, 'released'],
    [{ leaseTransitions: 3 }, 'released'],
    [{ leaseDurationSeconds: 15 }, 'never-held'],
    [undefined, 'never-held'],
  ] as const)('of %j is %s', (spec, state) => {
    expect(stateOf(spec)).toBe(state);
  });
});

{
  const NOW = Date.parse('2026-01-02T03:04:05Z');
  const held = (...tenures: (readonly [holder: string, minutesAgo: number])[]) =>
    tenures.map(([holder, minutes]) => ({ holder, from: NOW - minutes * 60_000 }));

  test.each([
    ['three changes of the holder within ten minutes', held(['a', 60], ['b', 9], ['c', 8], ['d', 1]), true],
    ['two changes', held(['a', 60], ['b', 9], ['c', 8]), false],
    ['three changes, the first of them ten minutes ago', held(['a', 60], ['b', 10], ['c', 8], ['d', 1]), false],
    ['two holders that take turns', held(['a', 5], ['b', 4], ['a', 3], ['b', 2]), true],
    ['changes with time without a holder between them', held(['a', 60], ['', 9], ['b', 8], ['', 7], ['c', 6], ['', 5], ['d', 4]), true],
    ['a holder that releases its lease and takes it again', held(['a', 9], ['', 8], ['a', 7], ['', 6], ['a', 5], ['', 4], ['a', 3]), false],
    ['a lease of which nothing is known', [], false],
  ])('%s: %j is flapping: %j', (_, tenures, expected) => {
    expect(isFlapping(tenures, NOW)).toBe(expected);
  });
}
