import { ASSUMED } from './assumptions.js';
import { EventQueue } from './event-queue.js';
import { calibrated, lineThrough } from './calibrate.js';
import { databaseNeed, limitsOf, replicasFor } from './limits.js';
import { seededRandom } from './random.js';
import { simulate } from './simulate.js';

const lone = { rate: 1, replicas: 1, commit: 1, watchers: 0 };

describe('EventQueue', () => {
  it('runs actions by time, and those of the same time in scheduling order', () => {
    const events = new EventQueue();
    const seen: string[] = [];
    const random = seededRandom(3);
    for (let at = 0; at < 200; at++) {
      const time = Math.floor(random() * 20);
      events.at(time, () => seen.push(`${String(time).padStart(2, '0')} ${String(at).padStart(3, '0')}`));
    }
    events.run();
    expect(seen).toHaveLength(200);
    expect(seen).toEqual([...seen].sort());
  });
});

describe('simulate', () => {
  it('takes the sum of its parts for a single renewal', () => {
    const { p50, batch } = simulate({ ...lone, commit: 0 }, ASSUMED, 60_000);
    const { requestBefore, requestAfter, roundTrip, item } = ASSUMED;
    expect(batch).toBe(1);
    expect(p50).toBeCloseTo(requestBefore + ASSUMED.batch + item + roundTrip + requestAfter, 1);
  });

  it('is the same for the same seed', () => {
    const setting = { rate: 2000, replicas: 2, commit: 1, watchers: 2 };
    expect(simulate(setting, ASSUMED, 1000, 7)).toEqual(simulate(setting, ASSUMED, 1000, 7));
  });

  it('has larger batches the longer a commit takes', () => {
    const at = (commit: number) => simulate({ rate: 3000, replicas: 2, commit, watchers: 0 }, ASSUMED, 2000).batch;
    expect(at(5)).toBeGreaterThan(3 * at(0.05));
  });

  it('keeps the counter almost always locked if replicas contend for a slow disk', () => {
    expect(simulate({ rate: 6500, replicas: 4, commit: 5, watchers: 0 }, ASSUMED, 2000).counter).toBeGreaterThan(0.95);
  });
});

describe('limitsOf', () => {
  it('is the capacity of one thread for one replica', () => {
    const limits = limitsOf({ ...lone, commit: 0.05 }, { ...ASSUMED, follow: 0 });
    expect(limits.servers).toBeCloseTo(1000 / (ASSUMED.requestBefore + ASSUMED.requestAfter));
    expect(limits.first).toBe('server processes');
  });

  it('charges watches to the replicas that serve them', () => {
    const withWatchers = (watchers: number) => limitsOf({ ...lone, replicas: 4, watchers }, ASSUMED).servers;
    expect(withWatchers(100)).toBeLessThan(withWatchers(0) / 2);
  });

  it('ends at the limit of the counter, for any number of replicas', () => {
    const limits = limitsOf({ ...lone, commit: 5, replicas: 1000 }, { ...ASSUMED, follow: 0, batchItems: 100 });
    expect(limits.first).toBe('counter row');
    expect(limits.counter).toBeCloseTo((1000 * 100) / (ASSUMED.batch + ASSUMED.item * 100 + 5));
  });
});

it('counts the reads of each write by every other replica', () => {
  const cores = (replicas: number) => databaseNeed({ rate: 6500, replicas, commit: 1, watchers: 0 }, 10, ASSUMED).cores;
  expect(cores(3) - cores(2)).toBeCloseTo(cores(2) - cores(1));
  expect(cores(2)).toBeGreaterThan(cores(1));
});

it('needs replicas in proportion to watches, up to the point where applying changes saturates each replica', () => {
  expect(replicasFor(6500, 0, 0.7, { ...ASSUMED, requestBefore: 0.12, requestAfter: 0.08, follow: 0 })).toBe(2);
  expect(replicasFor(6500, 200, 0.7, ASSUMED)).toBeGreaterThan(8);
  expect(replicasFor(80_000, 0, 0.7, ASSUMED)).toBeUndefined();
});

describe('calibrated', () => {
  it('finds the line through points on a line', () => {
    const points = [1, 4, 16, 256].map((x) => [x, 0.4 + 0.02 * x] as const);
    const { start, slope } = lineThrough(points);
    expect(start).toBeCloseTo(0.4);
    expect(slope).toBeCloseTo(0.02);
  });

  it('uses measured values in place of assumed ones', () => {
    const cost = (items: number) => ({ items, statement: 1 + items, durable: 0, walBytes: 50 + 10 * items, read: 2 + 3 * items });
    const { batch, item, readBatch, readItem, walBatchBytes, walItemBytes, event } = calibrated(ASSUMED, [cost(1), cost(8)]);
    expect([batch, item, readBatch, readItem, walBatchBytes, walItemBytes]).toEqual([1, 1, 2, 3, 50, 10]);
    expect(event).toBe(ASSUMED.event);
  });
});
