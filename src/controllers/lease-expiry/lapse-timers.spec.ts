import { expect, test } from '@jest/globals';
import type { StoredObject } from '../../storage/object-store.js';
import { LEASE_RESOURCE } from '../../storage/term-change.js';
import { LapseTimers } from './lapse-timers.js';

const NOON = Date.parse('2026-01-02T12:00:00.000Z');
const lease = (spec: object): StoredObject => ({
  key: { resource: LEASE_RESOURCE, namespace: 'ns', name: 'a' },
  ...{ uid: 'a', terminating: false, revision: 1 },
  data: JSON.stringify({ metadata: { name: 'a' }, spec: { holderIdentity: 'h', leaseDurationSeconds: 15, ...spec } }),
});

test('a lease that told no time when it was seen first is judged once it tells one', () => {
  const timers = new LapseTimers(() => Infinity);
  timers.written('ns/a', lease({}), NOON, false);
  expect(timers.next).toBe(Infinity);
  const renewed = lease({ renewTime: '2026-01-02T12:00:00.000000Z' });
  timers.written('ns/a', renewed, NOON, false);
  expect(timers.next).toBe(NOON + 15_000);
  expect(timers.take(NOON + 15_000, 1, () => renewed)).toMatchObject([{ lease: 'a', lapsed: true }]);
});

test('a lease whose time is over by the clock of the database is judged once it has been seen unchanged for its duration', () => {
  let age = 0;
  const timers = new LapseTimers(() => age);
  const behind = lease({ renewTime: '2026-01-02T11:00:00.000000Z' });
  timers.written('ns/a', behind, NOON, false);
  for (age = 0; age < 14_000; age += 1_000) expect(timers.take(NOON + age, 1, () => behind)).toEqual([]);
  age = 15_000;
  expect(timers.take(NOON + age, 1, () => behind)).toMatchObject([{ lease: 'a', lapsed: true }]);
});

test('a lease that lapsed more than a minute ago is overdue until its term ends, and heartbeats are told from elections', () => {
  const timers = new LapseTimers(() => Infinity);
  const late = { leaseDurationSeconds: 15, renewTime: '2026-01-02T12:00:00.000000Z' };
  timers.written('ns/a', lease(late), NOON, false);
  timers.termIs('ns/a', true, lease(late), NOON + 15_000);
  // known as lapsed when it was seen first
  timers.written('ns/b', lease({ ...late, holderIdentity: 'a' }), NOON + 70_000, true);
  expect(timers.counts(NOON + 74_000).overdue).toEqual({ election: 0, heartbeat: 0 });
  expect(timers.counts(NOON + 76_000).overdue).toEqual({ election: 1, heartbeat: 1 });
  timers.termIs('ns/a', false, lease({ ...late, holderIdentity: 'other' }), NOON + 76_000);
  expect(timers.counts(NOON + 77_000).overdue).toEqual({ election: 0, heartbeat: 1 });
});
