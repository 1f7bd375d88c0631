import { expect, test } from '@jest/globals';
import { ManualScheduler } from '../../test/support/manual-scheduler.js';
import { KnownOutage } from './storage-errors.js';

test('an outage is also a question that nobody answers, from the moment at which it was asked', async () => {
  const scheduler = new ManualScheduler();
  const outage = new KnownOutage(scheduler);
  outage.asked();
  await scheduler.pass(2_900);
  expect(outage.refusal()).toBeUndefined();
  await scheduler.pass(200);
  expect(outage.refusal()).toMatchObject({
    code: 'Unavailable',
    details: { refused: true },
    cause: { message: expect.stringContaining('nothing for 3000 ms') },
  });
  outage.answered();
  expect(outage.refusal()).toBeUndefined();
  outage.asked();
  await scheduler.pass(2_000);
  outage.failed(new Error('silent'));
  outage.asked();
  await scheduler.pass(1_000);
  expect(outage.refusal()).toMatchObject({ cause: { message: 'silent' } });
  outage.ended();
  expect([outage.refusal(), scheduler.pending]).toEqual([undefined, 0]);
});

test('a question that has to wait is no outage while the database answers another one', async () => {
  const scheduler = new ManualScheduler();
  let answers = true;
  let told = 0;
  const answersOthers = () => (answers ? Promise.resolve() : new Promise<void>(() => undefined));
  const outage = new KnownOutage(scheduler, { answersOthers, silent: () => told++ });
  outage.asked();
  await scheduler.pass(10_000);
  expect([outage.refusal(), told]).toEqual([undefined, 0]);
  answers = false;
  await scheduler.pass(5_000);
  expect(outage.refusal()).toMatchObject({ details: { refused: true } });
  expect(told).toBeGreaterThan(1);
  answers = true;
  await scheduler.pass(2_000);
  expect(outage.refusal()).toBeUndefined();
});

test('an outage is known three seconds after its first failure, until the database responds', async () => {
  const scheduler = new ManualScheduler();
  const outage = new KnownOutage(scheduler);
  expect([outage.isOngoing, outage.refusal()]).toEqual([false, undefined]);
  outage.failed(new Error('refused'));
  await scheduler.pass(2_900);
  outage.failed(new Error('refused again'));
  expect([outage.isOngoing, outage.refusal()]).toEqual([true, undefined]);
  await scheduler.pass(100);
  expect(outage.refusal()).toMatchObject({ code: 'Unavailable', details: { refused: true }, cause: { message: 'refused again' } });
  outage.ended();
  expect([outage.isOngoing, outage.refusal()]).toEqual([false, undefined]);
  outage.failed(new Error('anew'));
  expect(outage.refusal()).toBeUndefined();
});
