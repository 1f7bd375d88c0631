import { expect, it } from '@jest/globals';
import { labelSelector, leaseNames } from './slot-leases.js';

it('labels of long names are short and differ', () => {
  const [one, other] = ['a', 'b'].map((end) => labelSelector(leaseNames(`${'x'.repeat(100)}${end}`).slotLabel).split('=')[1] ?? '');
  expect([one?.length, other?.length]).toEqual([63, 63]);
  expect(one).not.toBe(other);
  expect(labelSelector(leaseNames('short').slotLabel)).toMatch(/=short$/);
});
