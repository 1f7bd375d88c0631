import { describe, expect, it } from '@jest/globals';
import type { PendingWrite } from './pending-write.js';
import { WaitingWrites } from './waiting-writes.js';

const limits = { items: 1_000, bytes: 1_000_000 };

/** Upper case: patient. */
function write(path: string): PendingWrite {
  return { lock: path, path, bytes: 1, requester: { isPatient: path !== path.toLowerCase() } } as PendingWrite;
}

function waiting(...paths: string[]): WaitingWrites {
  const writes = new WaitingWrites();
  for (const path of paths) writes.add(write(path));
  return writes;
}

const next = (writes: WaitingWrites) => writes.next(limits).map(({ path }) => path);
const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `P${from + i}`);

describe('WaitingWrites', () => {
  it('has patient writes wait for the others that are there, and both take turns from then on', () => {
    const writes = waiting('P0', 'a', 'b');
    expect(next(writes)).toEqual(['a', 'b']);
    writes.add(write('c'));
    expect(next(writes)).toEqual(['P0']);
    writes.add(write('P1'));
    expect(next(writes)).toEqual(['c']);
    expect(next(writes)).toEqual(['P1']);
    expect(writes.length).toBe(0);
  });

  it('has few patient writes in a batch, and as many of the others as there are', () => {
    const writes = waiting(...many(300), ...Array.from({ length: 300 }, (_, i) => `a${i}`));
    expect(next(writes)).toHaveLength(300);
    expect(next(writes).length).toBeLessThan(100);
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

  it('learns nothing of patient writes from batches of others', () => {
    const writes = waiting('a', ...many(1_000));
    writes.took(writes.next(limits), 1_000);
    expect(next(writes)).toHaveLength(waiting(...many(1_000)).next(limits).length);
  });

  it('puts writes back in front of those of their kind', () => {
    const writes = waiting('a', 'P0', 'P1');
    const [prompt, patient] = [writes.next(limits), writes.next(limits)];
    writes.add(write('P2'));
    writes.putBack(patient);
    writes.add(write('b'));
    writes.putBack(prompt);
    expect([next(writes), next(writes)]).toEqual([
      ['a', 'b'],
      ['P0', 'P1', 'P2'],
    ]);
  });

  it('gives up all of them', () => {
    const writes = waiting('a', 'P0');
    expect(writes.takeAll().map(({ path }) => path)).toEqual(['a', 'P0']);
    expect(writes.length).toBe(0);
  });
});
