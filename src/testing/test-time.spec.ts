import { expect, test } from '@jest/globals';
import { TestTime } from './test-time.js';

const MINUTE = 60_000;

/** The times, from the start, at which a timer that is set again and again has run. */
function everyMinute(time: TestTime): number[] {
  const start = time.now();
  const ran: number[] = [];
  const again = () => {
    time.after(MINUTE, () => {
      ran.push(Math.floor((time.now() - start) / MINUTE));
      again();
    });
  };
  again();
  return ran;
}

test('what falls due while time is moved runs in order, each time', async () => {
  const time = new TestTime();
  const ran = everyMinute(time);
  await time.move(5 * MINUTE);
  expect(ran).toEqual([1, 2, 3, 4, 5]);
});

test('of a long move the last ten minutes pass like that, and what fell due before runs once', async () => {
  const time = new TestTime();
  const ran = everyMinute(time);
  await time.move(24 * 60 * MINUTE);
  expect(ran.slice(0, 2)).toEqual([1430, 1431]);
  expect(ran).toHaveLength(11);
  expect(time.ahead).toBe(24 * 60 * MINUTE);
});
