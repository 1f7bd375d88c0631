import { expect, test } from '@jest/globals';
import type { LeaseCandidate } from '../api/kubernetes-objects.js';
import { observeLease } from '../leases/observe-lease.js';
import { explainElection, groupCandidates } from './election.js';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const candidate = (name: string, emulationVersion: string, binaryVersion: string, created = 0): LeaseCandidate => ({
  metadata: { name, namespace: 'n', creationTimestamp: new Date(NOW - 1e6 + created).toISOString() },
  spec: { leaseName: 'l', emulationVersion, binaryVersion, strategy: 'OldestEmulationVersion', renewTime: new Date(NOW).toISOString() },
});
const lease = (holderIdentity: string, spec = {}) =>
  new Map([
    [
      'n/l',
      observeLease(undefined, { metadata: { namespace: 'n', name: 'l' }, spec: { holderIdentity, ...spec } }, { now: NOW, live: false }),
    ],
  ]);
const explain = (holder: string, candidates: LeaseCandidate[], spec = {}) => {
  const [election] = groupCandidates(candidates, lease(holder, spec));
  return [election!.candidates.map(({ name }) => name).join(), explainElection(election!, NOW)];
};

test.each([
  ['a', [candidate('a', '1.35.0', '1.36.0')], 'a', 'the only candidate'],
  ['b', [candidate('a', '1.36.0', '1.36.0'), candidate('b', '1.9.0', '1.36.0')], 'b,a', 'oldest emulation version, 1.9.0'],
  ['b', [candidate('a', '1.36.0', '1.36.1'), candidate('b', '1.36', '1.36.0')], 'b,a', 'oldest binary, 1.36.0'],
  ['b', [candidate('a', '1.36.0', '1.36.0', 5000), candidate('b', '1.36.0', '1.36.0')], 'b,a', 'oldest candidate'],
  ['', [candidate('a', '1.36.0', '1.36.0')], 'a', 'in progress'],
  ['a', [candidate('a', '1.36.0', '1.36.0'), candidate('b', '1.35.0', '1.36.0')], 'b,a', 'b comes first'],
  ['z', [candidate('a', '1.36.0', '1.36.0')], 'a', 'holder is not a candidate'],
  ['a', [candidate('a', '1.36.0', '1.36.0'), candidate('x', 'no version', '')], 'a,x', 'oldest emulation version'],
])('the leader and the reason: %s', (holder, candidates, order, why) => {
  expect(explain(holder, candidates)).toEqual([order, expect.stringContaining(why)]);
});

test('a holder that let the lease expire', () => {
  const late = { leaseDurationSeconds: 15, renewTime: new Date(NOW - 16_000).toISOString() };
  expect(explain('a', [candidate('a', '1.36.0', '1.36.0')], late)[1]).toContain('expire');
});

test('a holder that is asked to step down', () => {
  const candidates = [candidate('a', '1.36.0', '1.36.0'), candidate('b', '1.35.0', '1.36.0')];
  expect(explain('a', candidates, { strategy: 'OldestEmulationVersion', preferredHolder: 'b' })[1]).toContain('step down for b');
});

test('a strategy of another controller', () => {
  expect(explain('a', [candidate('a', '1', '1')], { strategy: 'example.com/by-luck' })[1]).toContain('Another controller');
});
