import { expect, test } from '@jest/globals';
import { leaseExpiry } from './lease-expiry.js';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const SPEC = { holderIdentity: 'a', leaseDurationSeconds: 15 };
const time = (ms: number) => new Date(ms).toISOString();

function expiryOf(renewedMs: number | undefined, receivedMs?: number, manager = 'client', field = 'f:renewTime'): number | undefined {
  const managedFields =
    receivedMs === undefined ? undefined : [{ manager, time: time(receivedMs), fieldsV1: { 'f:spec': { [field]: {} } } }];
  const renewTime = renewedMs === undefined ? undefined : time(renewedMs);
  const expiry = leaseExpiry({ metadata: { name: 'a', managedFields }, spec: { ...SPEC, renewTime } });
  return expiry && expiry - NOON;
}

test.each([
  ['its own time, where nothing tells when it was received', expiryOf(NOON), 15_000],
  ['its own time, where that is later than the time at which it was received', expiryOf(NOON + 10_000, NOON), 25_000],
  ['the second in which it was received, where its own time is earlier', expiryOf(NOON - 3_600_000, NOON), 15_000],
  ['the same, where its own time is later by more than the duration', expiryOf(NOON + 3_600_000, NOON), 15_000],
  ['its own time, where SQL has written it', expiryOf(NOON, NOON + 5_000, 'coordination-sql'), 15_000],
  ['its own time, where somebody else has written other fields', expiryOf(NOON, NOON + 5_000, 'kubectl', 'f:strategy'), 15_000],
  ['the time at which it was received, where it has none', expiryOf(undefined, NOON), 15_000],
])('a holder has the duration from %s', (_, found, expected) => expect(found).toBe(expected));

test('a lease without a duration or any time never expires', () => {
  expect(expiryOf(undefined)).toBeUndefined();
  expect(leaseExpiry({ metadata: { name: 'a' }, spec: { renewTime: time(NOON) } })).toBeUndefined();
  expect(leaseExpiry({ metadata: { name: 'a' }, spec: {} })).toBeUndefined();
});
