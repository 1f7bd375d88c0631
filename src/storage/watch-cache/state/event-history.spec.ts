import { describe, expect, it } from '@jest/globals';
import type { StoreEvent } from '../../object-store.js';
import { EventHistory } from './event-history.js';

const event = (revision: number, bytes = 0): StoreEvent => ({
  type: 'ADDED',
  revision,
  object: { key: { resource: 'r', namespace: '', name: `${revision}` }, uid: '', data: 'x'.repeat(bytes), terminating: false, revision },
});
const after = (history: EventHistory, revision: number) => {
  const revisions: number[] = [];
  history.scan(revision, (seen) => revisions.push(seen.revision) > 0);
  return revisions;
};

describe('EventHistory', () => {
  const limits = { historyMs: 75_000, maxBytes: 100_000 };

  it('returns every event after any revision since the oldest', () => {
    const history = new EventHistory(limits);
    history.reset(10, [event(12), event(15)], 0);
    history.append([event(16)], 10);
    history.append([event(20), event(21)], 5_000);
    expect(history.oldest).toBe(10);
    expect(after(history, 10)).toEqual([12, 15, 16, 20, 21]);
    expect(after(history, 15)).toEqual([16, 20, 21]);
    expect(after(history, 18)).toEqual([20, 21]);
    expect(after(history, 21)).toEqual([]);
  });

  it('drops events that are too old', () => {
    const history = new EventHistory(limits);
    history.reset(10, [event(12)], 0);
    history.append([event(20)], 50_000);
    history.append([], 75_001);
    expect(history.oldest).toBe(12);
    expect(after(history, 12)).toEqual([20]);
    history.append([], 200_000);
    expect(history.oldest).toBe(20);
    expect(history.bytes).toBe(0);
    history.append([event(30)], 200_001);
    expect(after(history, 20)).toEqual([30]);
  });

  it('drops the oldest events beyond the size limit, and counts the rest', () => {
    const history = new EventHistory(limits);
    history.reset(0, [], 0);
    for (let revision = 1; revision <= 5_000; revision++) history.append([event(revision, 700)], revision * 10);
    expect(history.bytes).toBeLessThanOrEqual(limits.maxBytes);
    expect(history.oldest).toBeGreaterThan(4_000);
    expect(history.oldest).toBeLessThan(5_000);
    const left = after(history, history.oldest);
    expect(left[0]).toBe(history.oldest + 1);
    expect(left.at(-1)).toBe(5_000);
    expect(history.bytes).toBe(left.length * 1_000);
  });

  it('stops when the visitor has seen enough', () => {
    const history = new EventHistory({ ...limits, maxBytes: 1_000_000 });
    history.reset(
      0,
      Array.from({ length: 600 }, (_, i) => event(i + 1)),
      0,
    );
    const seen: number[] = [];
    history.scan(250, ({ revision }) => seen.push(revision) < 10);
    expect(seen).toEqual([251, 252, 253, 254, 255, 256, 257, 258, 259, 260]);
  });

  it('can start in the middle of a batch', () => {
    const history = new EventHistory(limits);
    history.reset(0, [event(1), event(2), event(3)], 0);
    history.forget(2);
    expect(history.oldest).toBe(2);
    expect(after(history, 2)).toEqual([3]);
    history.forget(1);
    expect(history.oldest).toBe(2);
  });
});
