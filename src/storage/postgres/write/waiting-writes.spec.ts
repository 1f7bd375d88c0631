import { describe, expect, it } from '@jest/globals';
import type { PendingWrite } from './pending-write.js';
import { WaitingWrites } from './waiting-writes.js';

const limits = { items: 1_000, bytes: 1_000_000 };

/** Upper case: patient. */
function write(path: string): PendingWrite {
  return { lock: path, path, bytes: 1, value: {}, requester: { isPatient: path !== path.toLowerCase() } } as PendingWrite;
}

function waiting(...paths: string[]): WaitingWrites {
  const writes = new WaitingWrites();
  for (const path of paths) writes.add(write(path));
  return writes;
}

const next = (writes: WaitingWrites) => writes.next(limits).map(({ path }) => path);
const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `P${from + i}`);

describe('WaitingWrites', () => {
  it('has all prompt writes that are there in the next batch, and patient ones after them', () => {
    const writes = waiting('P0', 'a', 'b');
    expect(next(writes)).toEqual(['a', 'b', 'P0']);
    writes.add(write('P1'));
    expect(next(writes)).toEqual(['P1']);
    expect(writes.length).toBe(0);
  });

  it('has few patient writes in a batch, and as many of the others as there are', () => {
    const writes = waiting(...many(300), ...Array.from({ length: 300 }, (_, i) => `a${i}`));
    const batch = next(writes);
    expect(batch.filter((path) => path.startsWith('a'))).toHaveLength(300);
    expect(batch.length).toBeLessThan(400);
  });

  it('keeps to the limits of a batch, which prompt writes reach first', () => {
    const writes = waiting('P0', 'a', 'b');
    expect(writes.next({ items: 2, bytes: 1_000 }).map(({ path }) => path)).toEqual(['a', 'b']);
    expect(next(writes)).toEqual(['P0']);
  });

  it('has one write of an object in a batch, whichever kind it is', () => {
    const writes = new WaitingWrites();
    const [prompt, patient] = [write('a'), { ...write('P0'), lock: 'a' }];
    writes.add(prompt);
    writes.add(patient);
    expect([writes.next(limits), writes.next(limits)]).toEqual([[prompt], [patient]]);
  });

  it('has fewer patient writes in a batch where batches are slow, and more where they are fast', () => {
    const writes = waiting(...many(1_000));
    const first = writes.next(limits);
    writes.took(first, 1_000);
    const fewer = writes.next(limits);
    expect(fewer.length).toBeLessThan(first.length);
    writes.took(fewer, 1);
    expect(writes.next(limits).length).toBeGreaterThan(fewer.length);
  });

  it('learns nothing about patient writes from batches without them', () => {
    const writes = waiting('a');
    writes.took(writes.next(limits), 1_000);
    for (const path of many(1_000)) writes.add(write(path));
    expect(next(writes)).toHaveLength(waiting(...many(1_000)).next(limits).length);
  });

  it('puts writes back in front of those of their kind', () => {
    const writes = waiting('a', 'P0', 'P1');
    const batch = writes.next(limits);
    writes.add(write('P2'));
    writes.add(write('b'));
    writes.putBack(batch);
    expect(next(writes)).toEqual(['a', 'b', 'P0', 'P1', 'P2']);
  });

  it('gives up all of them', () => {
    const writes = waiting('a', 'P0');
    expect(writes.takeAll().map(({ path }) => path)).toEqual(['a', 'P0']);
    expect(writes.length).toBe(0);
  });
});
