import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DueTimes } from './due-times.js';

test('values come out in the order of their times', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.array(fc.integer({ min: 0, max: 50 })), (first, later) => {
      const times = new DueTimes<string>();
      times.reset(first.map((at) => [at, `k${at}`] as const));
      for (const at of later) times.add(at, `k${at}`);
      const popped: number[] = [];
      while (times.size > 0) {
        expect(times.first).toBeLessThan(Infinity);
        const { at, value } = times.pop()!;
        expect(value).toBe(`k${at}`);
        popped.push(at);
      }
      expect(popped).toEqual([...first, ...later].sort((a, b) => a - b));
      expect(times.first).toBe(Infinity);
    }),
  );
});
