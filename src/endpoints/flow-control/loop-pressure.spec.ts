import { LoopPressure } from './loop-pressure.js';

test('a late event loop reduces seats quickly, and a punctual one restores them slowly', () => {
  const pressure = new LoopPressure(100);
  let now = 0;
  const tick = (ms: number) => {
    now += ms;
    pressure.tick(now);
    return pressure.share;
  };
  expect([tick(5000), tick(100), tick(120)]).toEqual([1, 1, 1]);
  expect(tick(200)).toBeCloseTo(0.6);
  for (let i = 0; i < 20; i++) tick(500);
  expect(pressure.share).toBe(0.2);
  expect(tick(100)).toBeCloseTo(0.25);
  for (let i = 0; i < 20; i++) tick(100);
  expect(pressure.share).toBe(1);
});
