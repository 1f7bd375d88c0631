import { expect, test } from '@jest/globals';
import { Flapping } from './lease-expiry-metrics.js';

const MINUTE = 60_000;

test('a lease flaps while four terms of it began within ten minutes', () => {
  const flapping = new Flapping();
  for (const minute of [0, 4, 8]) flapping.began('a', false, minute * MINUTE);
  flapping.began('b', false, 0);
  expect(flapping.counts(9 * MINUTE)).toEqual({ election: 0, released: 0, heartbeat: 0 });
  flapping.began('a', false, 9 * MINUTE);
  expect(flapping.counts(10 * MINUTE)).toEqual({ election: 0, released: 1, heartbeat: 0 });
  expect(flapping.counts(11 * MINUTE)).toEqual({ election: 0, released: 0, heartbeat: 0 });
});

test('who takes a lease from others is told from who waits until it is released, and from a member that starts again and again', () => {
  const flapping = new Flapping();
  for (const minute of [0, 1, 2, 3]) {
    for (const path of ['contest', 'lock']) flapping.began(path, false, minute * MINUTE);
    flapping.began('member', true, minute * MINUTE);
    // the first term follows none
    if (minute > 0) flapping.taken('contest', minute * MINUTE);
  }
  // one user of the lock has crashed
  flapping.taken('lock', MINUTE);
  expect(flapping.counts(4 * MINUTE)).toEqual({ election: 1, released: 1, heartbeat: 1 });
});

test('no more than ten thousand leases are remembered', () => {
  const flapping = new Flapping();
  for (let i = 0; i < 10_004; i++) for (let term = 0; term < 4; term++) flapping.began(`l${i}`, false, i);
  expect(flapping.counts(10_004).released).toBe(10_000);
});
