import { RestartDelay } from './restart-delay.js';

test('who does not last is replaced later and later, and soon again once one has lasted', () => {
  const delay = new RestartDelay();
  expect([0, 0, 5000].map((servedMs) => delay.after(servedMs))).toEqual([100, 200, 400]);
  for (let times = 0; times < 10; times++) delay.after(0);
  expect(delay.after(0)).toBe(10_000);
  expect([60_000, 0].map((servedMs) => delay.after(servedMs))).toEqual([100, 200]);
});
