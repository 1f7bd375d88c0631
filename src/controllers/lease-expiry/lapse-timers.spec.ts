import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StoredObject } from '../../storage/object-store.js';
import { LEASE_RESOURCE } from '../../storage/term-change.js';
import { DueTimes, LapseTimers, isHeartbeat, leaseGlance } from './lapse-timers.js';

{
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
}

{
  test('values come out in the order of their times', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.array(fc.integer({ min: 0, max: 50 })), (first, later) => {
        const times = new DueTimes<string>();
        times.reset(first.map((at) => [at, `k${at}`] as const));
        for (const at of later) times.add(at, `k${at}`);
        const popped: number[] = [];
        while (times.size > 0) {
          expect(times.first).toBeLessThan(Infinity);
          const { at, value } = times.pop()!;
          expect(value).toBe(`k${at}`);
          popped.push(at);
        }
        expect(popped).toEqual([...first, ...later].sort((a, b) => a - b));
        expect(times.first).toBe(Infinity);
      }),
    );
  });
}

{
  const annotations = { holderIdentity: 'x', leaseDurationSeconds: '7', text: '"spec":{"holderIdentity":"y","leaseDurationSeconds":9}' };
  const lease = (spec: object) => JSON.stringify({ kind: 'Lease', metadata: { name: 'spec', annotations }, spec });

  test.each([
    [
      { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: 'x' },
      { held: true, seconds: 15 },
    ],
    [
      { holderIdentity: '"', leaseDurationSeconds: 2147483647 },
      { held: true, seconds: 2147483647 },
    ],
    [
      { holderIdentity: '', leaseDurationSeconds: 1 },
      { held: false, seconds: 1 },
    ],
    [
      { leaseDurationSeconds: 3, preferredHolder: '"leaseDurationSeconds":4' },
      { held: false, seconds: 3 },
    ],
    [{ holderIdentity: 'a' }, { held: true, seconds: Infinity }],
    [{}, { held: false, seconds: Infinity }],
  ])('%j is seen at a glance', (spec, expected) => {
    expect(leaseGlance(lease(spec))).toEqual(expected);
  });
}

{
  test.each([
    ['kube-node-lease', 'node-7', 'node-7', true],
    ['default', 'workers-a', 'a', true],
    ['default', 'workers.host-2', 'host-2', true],
    ['kube-system', 'apiserver-abc', 'apiserver-abc_0e1f', true],
    ['kube-system', 'kube-scheduler', 'control-1_0e1f', false],
    ['default', 'scheduler', 'scheduler_0e1f', false],
    ['default', 'billing', 'billing-7c9', false],
    ['default', 'data', 'a', false],
    ['default', 'free', '', false],
  ])('%s/%s held by %p is a heartbeat: %p', (namespace, name, holder, expected) => {
    expect(isHeartbeat(namespace, name, holder)).toBe(expected);
  });
}
