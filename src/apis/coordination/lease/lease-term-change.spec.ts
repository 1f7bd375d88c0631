import { expect, test } from '@jest/globals';
import type { Lease, LeaseSpec } from './lease.schema.js';
import { leaseTermChange } from './lease-term-change.js';
import { forcedOpen } from './lock/forced-open.js';

const lease = (spec: LeaseSpec, labels?: Record<string, string>): Lease => ({ metadata: { name: 'a', uid: 'u', labels }, spec });
const HELD = { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 3, renewTime: '2026-01-02T03:04:05.000000Z' };
const ENDED = { holder: 'a', durationSeconds: 15, renewTime: HELD.renewTime, expiresMs: Date.parse(HELD.renewTime) + 15_000 };

test('a renewal changes no term, whatever else it changes', () => {
  const renewed = { ...HELD, renewTime: '2026-01-02T03:04:07.000000Z', leaseDurationSeconds: 20, preferredHolder: 'b', strategy: 's' };
  expect(leaseTermChange(lease(HELD), lease(renewed, { x: 'y' }))).toBeUndefined();
});

test.each([
  ['no lease', undefined],
  ['a lease that nobody holds', lease({})],
  ['a released lease', lease({ holderIdentity: '' })],
])('a term begins with the first holder of %s', (_, old) => {
  expect(leaseTermChange(old, lease(HELD, { x: 'y' }))).toEqual({
    leaseUid: 'u',
    begun: { holder: 'a', durationSeconds: 15, transitions: 3, labels: { x: 'y' } },
  });
});

test('a lease without a holder begins, ends and changes no term', () => {
  const [absent, empty] = [lease({}), lease({ holderIdentity: '' })];
  for (const [old, next] of [
    [undefined, absent],
    [absent, empty],
    [empty, absent],
    [absent, undefined],
  ] as const) {
    expect(leaseTermChange(old, next)).toBeUndefined();
  }
});

test('another holder ends a term and begins one', () => {
  expect(leaseTermChange(lease(HELD), lease({ ...HELD, holderIdentity: 'b', leaseTransitions: 4 }))).toEqual({
    leaseUid: 'u',
    ended: { ...ENDED, reason: 'Replaced' },
    begun: { holder: 'b', durationSeconds: 15, transitions: 4, labels: undefined },
  });
});

test('the same holder with another number of transitions has acquired the lease anew', () => {
  expect(leaseTermChange(lease(HELD), lease({ ...HELD, leaseTransitions: 4 }))).toMatchObject({
    ended: { reason: 'Replaced' },
    begun: { holder: 'a', transitions: 4 },
  });
});

test('a term ends with the release and with the deletion of its lease', () => {
  expect(leaseTermChange(lease(HELD), lease({ holderIdentity: '' }))).toEqual({ leaseUid: 'u', ended: { ...ENDED, reason: 'Released' } });
  expect(leaseTermChange(lease(HELD), undefined)).toEqual({ leaseUid: 'u', ended: { ...ENDED, reason: 'Deleted' } });
});

test('a lock that somebody forces open ends as forced, by the write that says so and by no later one', () => {
  const forced = forcedOpen('admin', '2026-01-02T03:04:06.000000Z');
  const held = { ...lease(HELD), metadata: { name: 'a', uid: 'u', annotations: forced } };
  const free = { ...lease({ holderIdentity: '' }), metadata: held.metadata };
  expect(leaseTermChange(lease(HELD), free)?.ended?.reason).toBe('Forced');
  expect(leaseTermChange(held, free)?.ended?.reason).toBe('Released');
});

test('a holder that makes way for the preferred one hands the lease over', () => {
  const asked = { ...HELD, preferredHolder: 'b', strategy: 's' };
  const reason = (next: LeaseSpec) => leaseTermChange(lease(asked), lease(next))?.ended?.reason;
  expect(reason({ ...asked, holderIdentity: '' })).toBe('HandedOver');
  expect(reason({ ...HELD, holderIdentity: 'b' })).toBe('HandedOver');
  expect(reason({ ...HELD, holderIdentity: 'c' })).toBe('Replaced');
});
