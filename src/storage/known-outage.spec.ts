import { expect, test } from '@jest/globals';
import { ManualScheduler } from '../../test/support/manual-scheduler.js';
import { KnownOutage } from './known-outage.js';

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
