import { describe, expect, it } from '@jest/globals';
import { lockSchedule, longestGrace } from './lock-options.js';

describe('the times of a held lease', () => {
  it('leave three attempts, the grace, and a margin', () => {
    const { renewEvery, retryEvery, requestTimeout, lostAfter, exclusiveFor } = lockSchedule(15_000);
    expect([renewEvery, retryEvery, requestTimeout, lostAfter, exclusiveFor]).toEqual([2_000, 500, 2_000, 9_000, 14_000]);
    expect(renewEvery + 2 * (requestTimeout + retryEvery) + requestTimeout).toBeLessThanOrEqual(lostAfter);
  });

  it.each([1_000, 15_000, 86_400_000])(
    'of %d ms leave two attempts with the longest grace, and the guard acts before the end',
    (duration) => {
      const { renewEvery, requestTimeout, retryEvery, lostAfter, exclusiveFor, guardDelay } = lockSchedule(
        duration,
        longestGrace(duration),
      );
      expect(renewEvery + requestTimeout + retryEvery).toBeLessThan(lostAfter);
      expect(exclusiveFor + guardDelay).toBeLessThan(duration);
    },
  );
});
