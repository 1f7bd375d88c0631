import { expect, test } from '@jest/globals';
import { observeLease } from '../leases/observe-lease.js';
import { recentlyAcquired } from './recently-acquired.js';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const lease = (name: string, spec: object) =>
  observeLease(undefined, { metadata: { namespace: 'n', name, uid: name, resourceVersion: '1' }, spec }, { now: NOW, live: false });

test('leases that were acquired lately come first, then those that do not say when; the others are left out', () => {
  const leases = [
    lease('long-held', { holderIdentity: 'a', acquireTime: ago(21), renewTime: ago(0) }),
    lease('quiet', { holderIdentity: 'a', renewTime: ago(0) }),
    lease('changing', { holderIdentity: 'a', renewTime: ago(0), leaseTransitions: 7 }),
    lease('earlier', { holderIdentity: 'a', acquireTime: ago(9), renewTime: ago(0) }),
    lease('clock-behind', { holderIdentity: 'a', acquireTime: ago(19), renewTime: ago(0) }),
    lease('released', { acquireTime: ago(1), renewTime: ago(0) }),
    lease('never-held', {}),
  ];
  expect(recentlyAcquired(leases, NOW).map(({ name }) => name)).toEqual(['released', 'earlier', 'clock-behind', 'changing', 'quiet']);
});
