import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import { DatabaseClock } from './database-clock.js';

let scheduler: ManualScheduler;
/** How far the database's clock is ahead, and how long the way there and the way back take. */
let ahead: number;
let [there, back] = [0, 0];
let steps: number;
let clock: DatabaseClock;

const passed = (ms: number) => new Promise<void>((resolve) => scheduler.after(ms, resolve));

beforeEach(() => {
  scheduler = new ManualScheduler();
  [ahead, there, back, steps] = [1_000_000, 1, 1, 0];
  const read = async (): Promise<number> => {
    await passed(there);
    const now = scheduler.now() + ahead;
    await passed(back);
    return now;
  };
  clock = new DatabaseClock({ read, onStep: () => (steps += 1), scheduler, logger: pino({ level: 'silent' }) });
});

const error = () => clock.now() - scheduler.now() - ahead;

describe('DatabaseClock', () => {
  it('knows the clock as well as one reading tells, and keeps that where later readings take long', async () => {
    void clock.start();
    await scheduler.pass(100);
    expect(error()).toBe(0);
    [there, back] = [900, 100];
    await scheduler.pass(30_000);
    expect([error(), steps]).toEqual([0, 1]);
  });

  it('notices a step of the clock, as by a failover, though every reading takes long', async () => {
    [there, back] = [75, 75];
    void clock.start();
    await scheduler.pass(1_000);
    ahead += 5_000;
    await scheduler.pass(11_000);
    expect([error(), steps]).toEqual([0, 2]);
    ahead -= 10_000;
    await scheduler.pass(11_000);
    expect([error(), steps]).toEqual([0, 3]);
  });

  it('tries again soon until it knows the clock', async () => {
    let fails = true;
    clock = new DatabaseClock({
      read: () => (fails ? Promise.reject(new Error('away')) : Promise.resolve(scheduler.now() + ahead)),
      scheduler,
      logger: pino({ level: 'silent' }),
    });
    await clock.start();
    fails = false;
    await scheduler.pass(1_000);
    expect(error()).toBe(0);
    clock.stop();
    expect(scheduler.pending).toBe(0);
  });
});
