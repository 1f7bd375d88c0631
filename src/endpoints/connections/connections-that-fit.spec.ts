import { connectionsThatFit } from './connections-that-fit.js';

const MIB = 1024 * 1024;

test('a small container has fewer connections, a large machine no more than are of use', () => {
  expect([64, 512, 1024, 1_000_000].map((mib) => connectionsThatFit(mib * MIB))).toEqual([1000, 2730, 5461, 10_000]);
});
