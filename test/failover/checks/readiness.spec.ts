import { expect, test } from '@jest/globals';
import { write } from './history-builder.js';
import { falselyReady } from './readiness.js';

const samples = (status: number) => Array.from({ length: 40 }, (_, n) => ({ server: 1, at: n * 500, status }));
const failures = (ends: readonly number[]) => ends.map((end) => write(0, `u${end}`, 'x', { outcome: 'unclear', answeredAt: end }));
const good = (end: number) => write(0, 'ok', 'x', { answeredAt: end });

test('a server that stays ready while every write fails for more than five seconds is a violation', () => {
  expect(falselyReady([good(500), ...failures([1_000, 4_000, 7_000, 9_000]), good(9_500)], samples(200))).toHaveLength(1);
  expect(falselyReady([good(500), ...failures([1_000, 4_000, 7_000, 9_000])], samples(200))).toHaveLength(1);
});

test('a server that reports unready, recovers, or has successful writes is correct', () => {
  const outage = [good(500), ...failures([1_000, 4_000, 7_000, 9_000]), good(9_500)];
  expect(falselyReady(outage, samples(500))).toEqual([]);
  expect(falselyReady([good(500), ...failures([1_000, 4_000]), good(5_000)], samples(200))).toEqual([]);
  expect(falselyReady([...failures([1_000, 4_000]), good(5_000), ...failures([7_000, 9_000])], samples(200))).toEqual([]);
});

test('a refusal counts as an answer', () => {
  const refused = [1_000, 4_000, 7_000, 9_000].map((end) => write(0, `r${end}`, 'x', { outcome: 'refused', answeredAt: end }));
  expect(falselyReady(refused, samples(200))).toEqual([]);
});
