import { expect, test } from '@jest/globals';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import { historyOf, leaderAt } from './lease-history.js';

const time = (seconds: number) => `2026-01-02T03:04:${String(seconds).padStart(2, '0')}.000000Z`;
const at = (seconds: number) => Date.parse(time(seconds));

function term(holder: string, from: number, until?: number): LeaseTerm {
  return {
    metadata: { name: `a.${from}` },
    spec: { leaseName: 'a', leaseUID: 'u', holder, fencingToken: String(1000 + from), from: time(from) },
    status: until === undefined ? { phase: 'Held' } : { phase: 'Ended', until: time(until), reason: 'Released' },
  };
}

const TERMS = [term('x', 10, 20), term('y', 25, 30), term('z', 30)];

test('a history has the duration of each term and the time without a holder before it', () => {
  expect(historyOf(TERMS, at(40))).toEqual([
    { holder: 'x', from: time(10), until: time(20), durationMs: 10_000, reason: 'Released', fencingToken: '1010' },
    { holder: 'y', from: time(25), until: time(30), durationMs: 5_000, reason: 'Released', gapMs: 5_000, fencingToken: '1025' },
    { holder: 'z', from: time(30), durationMs: 10_000, gapMs: 0, fencingToken: '1030' },
  ]);
});

test.each([
  [5, { holder: '', until: time(10) }],
  [10, { holder: 'x', fencingToken: '1010', from: time(10), until: time(20), reason: 'Released' }],
  [19, { holder: 'x', fencingToken: '1010', from: time(10), until: time(20), reason: 'Released' }],
  [20, { holder: '', from: time(20), until: time(25) }],
  [30, { holder: 'z', fencingToken: '1030', from: time(30) }],
  [50, { holder: 'z', fencingToken: '1030', from: time(30) }],
])('at second %i of a history there is one leader or a gap', (second, expected) => {
  expect(leaderAt(TERMS, at(second))).toEqual(expected);
});

test('a leader whose time was over by then is told from one that was in time', () => {
  const late = term('x', 10);
  const lapsed = [{ ...late, status: { ...late.status, lapsed: true, lapsedAt: time(25) } }];
  expect(leaderAt(lapsed, at(24))).toEqual({ holder: 'x', fencingToken: '1010', from: time(10) });
  expect(leaderAt(lapsed, at(25))).toEqual({ holder: 'x', fencingToken: '1010', from: time(10), expired: time(25) });
});

test('a lease without terms has had no leader', () => {
  expect(leaderAt([], at(5))).toEqual({ holder: '' });
  expect(leaderAt([term('x', 10, 20)], at(30))).toEqual({ holder: '', from: time(20) });
});
