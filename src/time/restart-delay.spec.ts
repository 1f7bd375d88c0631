import { RestartDelay } from './restart-delay.js';

test('the delay doubles while processes end early, and is reset once one has run for long', () => {
  const delay = new RestartDelay();
  expect([0, 0, 5000].map((servedMs) => delay.after(servedMs))).toEqual([100, 200, 400]);
  for (let times = 0; times < 10; times++) delay.after(0);
  expect(delay.after(0)).toBe(10_000);
  expect([60_000, 0].map((servedMs) => delay.after(servedMs))).toEqual([100, 200]);
});
