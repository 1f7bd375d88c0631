import { DroppedRequests } from './dropped-requests.js';

/** Rejects so many requests in each second; answers the last Retry-After of each. */
function reject(counts: readonly number[]): number[] {
  const dropped = new DroppedRequests();
  return counts.map((count, second) => {
    let retryAfter = 0;
    for (let i = 0; i < count; i++) retryAfter = dropped.record((1000 + second) * 1000);
    return retryAfter;
  });
}

test('clients are told to stay away for longer and longer while they keep coming', () => {
  expect(reject([1, 1, 1])).toEqual([1, 1, 1]);
  expect(reject([100, 100, 100, 100, 100, 100, 100, 100])).toEqual([1, 2, 2, 4, 4, 4, 4, 8]);
  expect(Math.max(...reject(Array<number>(200).fill(100)))).toBe(32);
});

test('and for less time when they come less often', () => {
  expect(reject([100, 100, 100, 1, 1, 1, 0, 1, 1]).at(-1)).toBeLessThan(4);
});
