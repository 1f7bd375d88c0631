import { expect, test } from '@jest/globals';
import { Flapping } from './flapping.js';

test('a lease flaps while four terms of it began within ten minutes', () => {
  const flapping = new Flapping();
  for (const minute of [0, 4, 8]) flapping.began('a', minute * 60_000);
  flapping.began('b', 0);
  expect(flapping.count(9 * 60_000)).toBe(0);
  flapping.began('a', 9 * 60_000);
  expect(flapping.count(10 * 60_000)).toBe(1);
  expect(flapping.count(11 * 60_000)).toBe(0);
});

test('no more than ten thousand leases are remembered', () => {
  const flapping = new Flapping();
  for (let i = 0; i < 10_004; i++) for (let term = 0; term < 4; term++) flapping.began(`l${i}`, i);
  expect(flapping.count(10_004)).toBe(10_000);
});
