import { expect, test } from '@jest/globals';
import { releasedAt } from './released-at.js';

const seen = (...holders: string[]) => ({
  holder: holders.at(-1) ?? '',
  terms: holders.map((holder, at) => ({ holder, from: 100 * (at + 1), to: undefined, token: undefined })),
});

test.each([
  ['held', seen('', 'a'), { to: 50, reason: 'Released' }, undefined],
  ['released before the tab was opened, without a history', seen(''), undefined, undefined],
  ['released before the tab was opened', seen(''), { to: 50, reason: 'Released' }, 50],
  ['released for the preferred holder', seen(''), { to: 50, reason: 'HandedOver' }, 50],
  ['released while the tab watched', seen('a', ''), { to: 50, reason: 'Released' }, 200],
  ['released, but the terms are from before', seen(''), { to: undefined, reason: '' }, undefined],
  ['released, but nobody recorded when', seen(''), { to: 50, reason: 'Unknown' }, undefined],
  ['created anew after it was deleted', seen(''), { to: 50, reason: 'Deleted' }, undefined],
])('a lease that is %s', (_, lease, last, expected) => {
  expect(releasedAt(lease, last)).toBe(expected);
});
