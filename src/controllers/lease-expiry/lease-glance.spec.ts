import { expect, test } from '@jest/globals';
import { leaseGlance } from './lease-glance.js';

const annotations = { holderIdentity: 'x', leaseDurationSeconds: '7', text: '"spec":{"holderIdentity":"y","leaseDurationSeconds":9}' };
const lease = (spec: object) => JSON.stringify({ kind: 'Lease', metadata: { name: 'spec', annotations }, spec });

test.each([
  [
    { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: 'x' },
    { held: true, seconds: 15 },
  ],
  [
    { holderIdentity: '"', leaseDurationSeconds: 2147483647 },
    { held: true, seconds: 2147483647 },
  ],
  [
    { holderIdentity: '', leaseDurationSeconds: 1 },
    { held: false, seconds: 1 },
  ],
  [
    { leaseDurationSeconds: 3, preferredHolder: '"leaseDurationSeconds":4' },
    { held: false, seconds: 3 },
  ],
  [{ holderIdentity: 'a' }, { held: true, seconds: Infinity }],
  [{}, { held: false, seconds: Infinity }],
])('%j is seen at a glance', (spec, expected) => {
  expect(leaseGlance(lease(spec))).toEqual(expected);
});
