import type { Scheduler } from '../../src/time/scheduler.js';

interface Entry {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that stands still until a test advances it. */
export class ManualScheduler implements Scheduler {
  readonly #entries = new Set<Entry>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const entry = { at: this.#now + ms, run };
    this.#entries.add(entry);
    return () => this.#entries.delete(entry);
  }

  /** The number of callbacks that wait for their time. */
  get pending(): number {
    return this.#entries.size;
  }

  /** Runs all callbacks due in this span, in order, each followed by everything that it triggers. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#due(end); next; next = this.#due(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#entries.delete(next);
      next.run();
      await settle();
    }
    this.#now = end;
  }

  #due(end: number): Entry | undefined {
    return [...this.#entries].filter((entry) => entry.at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

/** Lets everything run that waits only for its turn in the event loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
