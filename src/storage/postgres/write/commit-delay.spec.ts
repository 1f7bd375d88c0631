import { describe, expect, it } from '@jest/globals';
import { ManualScheduler } from '../../../../test/support/manual-scheduler.js';
import { CommitDelay } from './commit-delay.js';
import type { PendingWrite } from './pending-write.js';
import { WaitingWrites } from './waiting-writes.js';

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

describe('CommitDelay', () => {
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
