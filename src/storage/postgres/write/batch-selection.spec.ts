import { describe, expect, it } from '@jest/globals';
import type { PendingWrite } from './pending-write.js';
import { BatchSelection } from './batch-selection.js';

const limits = { items: 100, bytes: 1_000 };

/** `a` writes a, `a<n` creates a inside n. */
function write(text: string, bytes = 1): PendingWrite {
  const [lock = '', containerLock] = text.split('<');
  return { lock, containerLock, path: text, bytes } as PendingWrite;
}

function take(queue: PendingWrite[], some = limits): string[] {
  const selection = new BatchSelection(some);
  selection.takeFrom(queue);
  return selection.batch.map(({ path }) => path);
}

/** Takes batches until the queue is empty. */
function batches(writes: PendingWrite[], some = limits): string[][] {
  const queue = [...writes];
  const taken: string[][] = [];
  while (queue.length > 0) taken.push(take(queue, some));
  return taken;
}

describe('BatchSelection', () => {
  it('combines writes of different objects, in their order', () => {
    expect(batches(['c', 'a', 'b'].map((text) => write(text)))).toEqual([['c', 'a', 'b']]);
  });

  it('takes one write per object and leaves the others in their order', () => {
    const writes = [write('a'), write('b'), write('a'), write('a'), write('c')];
    expect(batches(writes)).toEqual([['a', 'b', 'c'], ['a'], ['a']]);
  });

  it('never combines a write of an object with a creation inside it', () => {
    expect(batches([write('x<n'), write('n'), write('y<n'), write('z')])).toEqual([['x<n', 'z'], ['n'], ['y<n']]);
    expect(batches([write('n'), write('x<n'), write('y<n'), write('n')])).toEqual([['n'], ['x<n', 'y<n'], ['n']]);
  });

  it('lets no write overtake one of the same object that waits for its container', () => {
    expect(batches([write('n'), write('x<n'), write('x')])).toEqual([['n'], ['x<n'], ['x']]);
  });

  it('stops at the limits, but always takes one', () => {
    expect(batches([write('a'), write('b'), write('c')], { items: 2, bytes: 1_000 })).toEqual([['a', 'b'], ['c']]);
    expect(batches([write('a', 600), write('b', 600), write('c', 5_000), write('d')])).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  it('takes no more from a queue than it is told, and holds for all queues what holds for one', () => {
    const [first, second] = [
      [write('a'), write('b'), write('c')],
      [write('a'), write('d'), write('e')],
    ];
    const selection = new BatchSelection(limits);
    selection.takeFrom(first, 2);
    selection.takeFrom(second, 1);
    expect(selection.batch.map(({ path }) => path)).toEqual(['a', 'b', 'd']);
    expect([first, second].map((queue) => queue.map(({ path }) => path))).toEqual([['c'], ['a', 'e']]);
  });
});
