import { expect, it } from '@jest/globals';
import { suspendAwareClock } from './suspend-aware-clock.js';

it('counts the time in which the machine was suspended, and ignores the resolution of the uptime', () => {
  let awake = 5_000;
  let uptime = 100_000;
  const clock = suspendAwareClock(
    () => uptime,
    () => awake,
  );
  const start = clock.monotonic();
  awake += 1_000;
  uptime += 1_009;
  expect(clock.monotonic() - start).toBe(1_000);
  uptime += 60_000;
  expect(clock.monotonic() - start).toBe(61_009);
});
