import { DroppedRequests } from './priority-level.js';

/** Rejects the given number of requests in each second; returns the last Retry-After of each second. */
function reject(counts: readonly number[]): number[] {
  const dropped = new DroppedRequests();
  return counts.map((count, second) => {
    let retryAfter = 0;
    for (let i = 0; i < count; i++) retryAfter = dropped.record((1000 + second) * 1000);
    return retryAfter;
  });
}

test('Retry-After grows while clients keep sending requests', () => {
  expect(reject([1, 1, 1])).toEqual([1, 1, 1]);
  expect(reject([100, 100, 100, 100, 100, 100, 100, 100])).toEqual([1, 2, 2, 4, 4, 4, 4, 8]);
  expect(Math.max(...reject(Array<number>(200).fill(100)))).toBe(32);
});

test('Retry-After shrinks when clients send fewer requests', () => {
  expect(reject([100, 100, 100, 1, 1, 1, 0, 1, 1]).at(-1)).toBeLessThan(4);
});
