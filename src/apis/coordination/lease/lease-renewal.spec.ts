import { expect, test } from '@jest/globals';
import type { Lease, LeaseSpec } from './lease.schema.js';
import { renewalMayWait, renewalTime } from './lease-renewal.js';

const lease = (spec?: LeaseSpec) => ({ metadata: { name: 'a', uid: 'u' }, spec }) as Lease;
const HELD = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.000000Z' };
const RENEWED = { ...HELD, renewTime: '2026-01-02T03:04:07.000000Z' };

test("a renewal may wait for a thousandth of its lease's duration", () => {
  expect(renewalMayWait(lease(RENEWED), lease(HELD))).toBe(15);
  expect(renewalMayWait(lease({ ...RENEWED, leaseDurationSeconds: 2 }), lease({ ...HELD, leaseDurationSeconds: 2 }))).toBe(2);
});

test.each<[string, LeaseSpec | undefined, LeaseSpec | undefined]>([
  ['an acquisition', RENEWED, { ...HELD, holderIdentity: '' }],
  ['a takeover', { ...RENEWED, holderIdentity: 'b' }, HELD],
  ['a release', { ...RENEWED, holderIdentity: '' }, HELD],
  ['another duration', { ...RENEWED, leaseDurationSeconds: 30 }, HELD],
  ['a request to hand over', { ...RENEWED, preferredHolder: 'b' }, HELD],
  ['another strategy', { ...RENEWED, strategy: 'OldestEmulationVersion' }, HELD],
  ['a first spec', RENEWED, undefined],
  ['the removal of the spec', undefined, HELD],
  ['a change of a lease that nobody holds', { leaseDurationSeconds: 15 }, { leaseDurationSeconds: 15 }],
  ['a renewal without a duration', { holderIdentity: 'a' }, { holderIdentity: 'a' }],
])('%s may not wait', (_, next, old) => {
  expect(renewalMayWait(lease(next), lease(old))).toBe(0);
});

const NOON = Date.parse('2026-01-02T12:00:00.000Z');

test('renewals by a clock that stands still have each another time', () => {
  const times = new Set<string>();
  let last: string | undefined;
  for (let i = 0; i < 1_000; i++) times.add((last = renewalTime(last, NOON)));
  expect(times.size).toBe(1_000);
  expect(last).toBe('2026-01-02T12:00:00.000999Z');
  expect(renewalTime(last, NOON + 1)).toBe('2026-01-02T12:00:00.001000Z');
});
