import { expect, it } from '@jest/globals';
import { SimulatedProcess } from './simulated-process.js';

it('a pause never ends an earlier one sooner', () => {
  const process = new SimulatedProcess('server');
  process.pause(5_000);
  process.pause(1_000);
  expect(process.pausedUntil).toBe(5_000);
  process.pause(6_000);
  expect(process.pausedUntil).toBe(6_000);
});
