import { expect, test } from '@jest/globals';
import { type Term, quantile, releasedAt, takeoversOf, termsOf, withSeen } from './term.js';

const at = (second: number) => new Date(second * 1000).toISOString();
const item = (token: number, holder: string, from: number, status: object = {}) => ({
  metadata: { name: `a.${token}` },
  spec: { leaseName: 'a', holder, fencingToken: String(token), from: at(from) },
  status,
});
const term = (token: number, holder: string, from: number, to?: number, reason = ''): Term => ({
  holder,
  token: String(token),
  from,
  to,
  reason,
  renewedAt: undefined,
  lapsedAt: undefined,
  lapsed: false,
  lapses: 0,
});

test('terms are in the order of their tokens, whatever the order of their names', () => {
  const items = [item(1000, 'c', 30), item(98, 'a', 10, { until: at(20), reason: 'Released' }), item(99, 'b', 30, { until: at(30) })];
  expect(termsOf(items).map(({ holder, from, to }) => [holder, from, to])).toEqual([
    ['a', 10_000, 20_000],
    ['b', 30_000, 30_000],
    ['c', 30_000, undefined],
  ]);
});

test("a holder's wrong clock does not move its last renewal out of its term", () => {
  const renewed = (lastRenewTime: string) => termsOf([item(1, 'a', 10, { until: at(20), lastRenewTime })])[0]?.renewedAt;
  expect([renewed(at(5)), renewed(at(15)), renewed(at(500))]).toEqual([10_000, 15_000, 20_000]);
});

test('objects without a beginning or a holder are no terms', () => {
  expect(termsOf([{ metadata: { name: 'x' } }, item(1, '', 10), { ...item(1, 'a', 10), spec: { holder: 'a', from: 'soon' } }])).toEqual([]);
});

test('after an expiry, nobody has led since the last renewal; otherwise, since the end of the term', () => {
  const expired = { ...term(1, 'a', 0, 20, 'Expired'), renewedAt: 5 };
  const terms = [expired, term(2, 'b', 20, 30, 'Released'), term(3, 'c', 34, 40, 'Replaced'), term(4, 'd', 40)];
  expect(takeoversOf(terms).map(({ at: when, withoutLeaderMs }) => [when, withoutLeaderMs])).toEqual([
    [20, 15],
    [34, 4],
    [40, 0],
  ]);
});

test('what this tab has seen is appended to the recorded terms', () => {
  const recorded = [term(1, 'a', 0, 10, 'Released'), term(5, 'b', 12)];
  expect(withSeen(recorded, [term(5, 'b', 12, 20), term(9, 'c', 20)])).toEqual([recorded[0], term(5, 'b', 12, 20), term(9, 'c', 20)]);
  expect(withSeen(recorded, [{ ...term(0, 'b', 11), token: undefined }])).toBe(recorded);
});

test('quantiles', () => {
  expect([quantile([], 0.5), quantile([3, 1, 2], 0.5), quantile([3, 1, 2], 1)]).toEqual([undefined, 2, 3]);
});

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
