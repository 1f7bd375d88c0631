import { describe, expect, test } from '@jest/globals';
import type { Lease } from '../api/kubernetes-objects.js';
import { leaseState } from './lease-state.js';
import { observeLease } from './observe-lease.js';

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

describe('the state of a lease', () => {
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
