import type { Scheduler } from '../time/scheduler.js';

interface Entry {
  readonly at: number;
  readonly run: () => void;
  timer?: NodeJS.Timeout;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A day of renewals, one after the other, would take a minute. */
const LONGEST_IN_ORDER_MS = 10 * 60_000;

/** The time of a test server: that of the machine, and as much more as a test has moved it. It only goes forward. */
export class TestTime implements Scheduler {
  readonly #entries = new Set<Entry>();
  #ahead = 0;

  /** How far it is ahead of the machine's, in milliseconds. */
  get ahead(): number {
    return this.#ahead;
  }

  /** The wall clock. */
  readonly clock = (): number => Date.now() + Math.round(this.#ahead);

  now(): number {
    return performance.now() + this.#ahead;
  }

  after(ms: number, run: () => void): () => void {
    const entry: Entry = { at: this.now() + ms, run };
    this.#entries.add(entry);
    this.#arm(entry);
    return () => this.#remove(entry);
  }

  /**
   * Runs all that falls due in this span, in order, each followed by everything that it triggers. Of a longer span, only the last ten minutes
   * pass like that: before them the machine has slept, as it were, and what fell due meanwhile runs once.
   */
  async move(ms: number): Promise<void> {
    const ahead = this.#ahead + ms;
    await settle();
    this.#ahead = Math.max(this.#ahead, ahead - LONGEST_IN_ORDER_MS);
    for (let next = this.#first(); next && next.at <= performance.now() + ahead; next = this.#first()) {
      this.#ahead = Math.min(ahead, Math.max(this.#ahead, next.at - performance.now()));
      this.#run(next);
      await settle();
    }
    this.#ahead = ahead;
    for (const entry of this.#entries) this.#arm(entry);
  }

  #first(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) if (!first || entry.at < first.at) first = entry;
    return first;
  }

  #arm(entry: Entry): void {
    clearTimeout(entry.timer);
    const ms = Math.max(0, entry.at - this.now());
    entry.timer = setTimeout(() => (ms > LONGEST_TIMER_MS ? this.#arm(entry) : this.#run(entry)), Math.min(ms, LONGEST_TIMER_MS));
    entry.timer.unref();
  }

  #run(entry: Entry): void {
    this.#remove(entry);
    entry.run();
  }

  #remove(entry: Entry): void {
    clearTimeout(entry.timer);
    this.#entries.delete(entry);
  }
}

/** Lets everything run that waits only for its turn in the event loop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
