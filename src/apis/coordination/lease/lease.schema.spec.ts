import { expect, test } from '@jest/globals';
import { type Lease, leaseExpiry } from './lease.schema.js';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const SPEC = { holderIdentity: 'a', leaseDurationSeconds: 15 };
const time = (ms: number) => new Date(ms).toISOString();

function leaseOf(renewedMs: number | undefined, receivedMs?: number, manager = 'client', field = 'f:renewTime'): Lease {
  const managedFields =
    receivedMs === undefined ? undefined : [{ manager, time: time(receivedMs), fieldsV1: { 'f:spec': { [field]: {} } } }];
  const renewTime = renewedMs === undefined ? undefined : time(renewedMs);
  return { metadata: { name: 'a', managedFields }, spec: { ...SPEC, renewTime } };
}

test.each([
  ['its own time, where nothing tells when it was received', leaseOf(NOON), 15_000, 15_000],
  ['its own time, where that is later than the time at which it was received', leaseOf(NOON + 10_000, NOON), 25_000, 25_000],
  ['the second in which it was received, where its own time is earlier', leaseOf(NOON - 3_600_000, NOON), 15_000, 16_000],
  ['the same, where its own time is later by more than the duration', leaseOf(NOON + 3_600_000, NOON), 15_000, 16_000],
  ['its own time, where SQL has written it', leaseOf(NOON, NOON + 5_000, 'coordination-sql'), 15_000, 15_000],
  ['its own time, where somebody else has written other fields', leaseOf(NOON, NOON + 5_000, 'kubectl', 'f:strategy'), 15_000, 15_000],
  ['the time at which it was received, where it has none', leaseOf(undefined, NOON), 15_000, 16_000],
  ['the last write, where it was never renewed', leaseOf(undefined, NOON, 'kubectl', 'f:holderIdentity'), 15_000, 16_000],
])('a holder has the duration from %s', (_, lease, beginning, end) => {
  expect(leaseExpiry(lease, 'beginning')).toBe(NOON + beginning);
  expect(leaseExpiry(lease, 'end')).toBe(NOON + end);
});

test('a time within the second in which it was received counts from its end only where leases may be taken', () => {
  expect(leaseExpiry(leaseOf(NOON + 200, NOON), 'beginning')).toBe(NOON + 15_200);
  expect(leaseExpiry(leaseOf(NOON + 200, NOON), 'end')).toBe(NOON + 16_000);
});

test('a lease without a duration or any time never expires', () => {
  expect(leaseExpiry(leaseOf(undefined), 'end')).toBeUndefined();
  expect(leaseExpiry({ metadata: { name: 'a' }, spec: { renewTime: time(NOON) } }, 'end')).toBeUndefined();
  expect(leaseExpiry({ metadata: { name: 'a' }, spec: {} }, 'end')).toBeUndefined();
});
