import { expect, test } from '@jest/globals';
import { handOverPatch, releasePatch } from './lease-patches.js';

const lease = { metadata: { name: 'a' }, spec: { holderIdentity: 'x', leaseDurationSeconds: 15, leaseTransitions: 4 } };

test('both are refused if the holder has changed', () => {
  for (const patch of [releasePatch(lease, 0), handOverPatch(lease, 'y', 0)]) {
    expect(patch[0]).toEqual({ op: 'test', path: '/spec/holderIdentity', value: 'x' });
  }
});

test('a release keeps the count of transitions, a handover raises it', () => {
  expect(releasePatch(lease, 0).map(({ path }) => path)).not.toContain('/spec/leaseTransitions');
  expect(handOverPatch(lease, 'y', 0)).toContainEqual({ op: 'add', path: '/spec/leaseTransitions', value: 5 });
  expect(handOverPatch(lease, 'y', 0)).toContainEqual({ op: 'add', path: '/spec/acquireTime', value: '1970-01-01T00:00:00.000000Z' });
});
