import { describe, expect, it } from '@jest/globals';
import { ManualScheduler } from '../../../../test/support/manual-scheduler.js';
import type { PendingWrite } from './pending-write.js';
import { BatchSelection, CommitDelay, WaitingWrites } from './waiting-writes.js';

describe('WaitingWrites', () => {
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

describe('BatchSelection', () => {
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

describe('CommitDelay', () => {
  const PATIENT_MS = 15;

  /** A queue from which batches are taken as soon as the delay allows. */
  class Fixture {
    readonly batches: { at: number; locks: string[] }[] = [];
    readonly #scheduler = new ManualScheduler();
    readonly #queue = new WaitingWrites();
    readonly #delay: CommitDelay;
    #running = false;

    constructor(longestMs = 4) {
      this.#delay = new CommitDelay(longestMs, this.#scheduler);
    }

    async write(lock: string, mayWaitMs = PATIENT_MS): Promise<void> {
      const write = { lock, path: lock, bytes: 1, since: this.#scheduler.now(), mayWaitMs } as PendingWrite;
      this.#queue.add(write);
      this.#delay.arrived(write, this.#queue);
      if (!this.#running) void this.#run();
      await this.#scheduler.pass(0);
    }

    pass(ms: number): Promise<void> {
      return this.#scheduler.pass(ms);
    }

    /** Renewals of so many leases in turn, one each millisecond; the batches that they led to are forgotten. */
    async busy(leases: number): Promise<void> {
      for (let n = 0; n < 64; n++) {
        await this.write(`busy-${n % leases}`);
        await this.pass(1);
      }
      await this.pass(10);
      this.batches.length = 0;
    }

    async #run(): Promise<void> {
      this.#running = true;
      await this.#delay.before(this.#queue);
      this.#running = false;
      const batch = this.#queue.next({ items: 100, bytes: 1_000 });
      this.batches.push({ at: this.#scheduler.now(), locks: batch.map(({ lock }) => lock) });
    }

    /** The writes of each batch, and how long after `start` it was taken. */
    taken(start: number): [number, string][] {
      return this.batches.map(({ at, locks }) => [at - start, locks.join(' ')]);
    }

    now(): number {
      return this.#scheduler.now();
    }
  }

  it('sends the renewals of a client that is alone at once', async () => {
    const fixture = new Fixture();
    for (let n = 0; n < 100; n++) {
      await fixture.write('a');
      expect(fixture.batches).toHaveLength(n + 1);
      await fixture.pass(1);
    }
  });

  it('sends renewals at once where few come', async () => {
    const fixture = new Fixture();
    for (let n = 0; n < 100; n++) {
      await fixture.write(`lease-${n}`);
      expect(fixture.batches).toHaveLength(n + 1);
      await fixture.pass(10);
    }
  });

  it('puts off a renewal until as many are there as are likely to come', async () => {
    const fixture = new Fixture();
    await fixture.busy(64);
    const start = fixture.now();
    await fixture.write('a');
    await fixture.pass(1);
    await fixture.write('b');
    await fixture.pass(1);
    await fixture.write('c');
    expect(fixture.taken(start)).toEqual([[2, 'a b c']]);
  });

  it('puts off a renewal no longer than the delay where nobody comes', async () => {
    const fixture = new Fixture();
    await fixture.busy(64);
    const start = fixture.now();
    await fixture.write('a');
    await fixture.pass(20);
    expect(fixture.taken(start)).toEqual([[4, 'a']]);
  });

  it('sends what waits at once with a renewal that may wait for less', async () => {
    const fixture = new Fixture();
    await fixture.busy(64);
    const start = fixture.now();
    await fixture.write('a');
    await fixture.pass(1);
    await fixture.write('short', 1);
    await fixture.pass(20);
    expect(fixture.taken(start)).toEqual([[1, 'a short']]);
  });

  it('sends a write that may not wait at once, together with those waiting', async () => {
    const fixture = new Fixture();
    await fixture.busy(64);
    const start = fixture.now();
    await fixture.write('a');
    await fixture.pass(1);
    await fixture.write('urgent', 0);
    expect(fixture.taken(start)).toEqual([[1, 'a urgent']]);
  });

  it('expects of each other lease one renewal at most', async () => {
    const fixture = new Fixture();
    await fixture.busy(2);
    const start = fixture.now();
    await fixture.write('busy-0');
    await fixture.pass(1);
    await fixture.write('busy-1');
    expect(fixture.taken(start)).toEqual([[1, 'busy-0 busy-1']]);
  });

  it('puts off nothing if its delay is 0', async () => {
    const fixture = new Fixture(0);
    await fixture.busy(64);
    await fixture.write('a');
    expect(fixture.batches).toHaveLength(1);
  });
});
