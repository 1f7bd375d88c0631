import type { Scheduler } from '../../src/storage/scheduler.js';

interface Entry {
  readonly at: number;
  readonly run: () => void;
}

/** Time that stands still until a test moves it. */
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

  /** How many callbacks wait for their time. */
  get pending(): number {
    return this.#entries.size;
  }

  /** Lets everything that is due in this span run, in order, each followed by whatever it sets off. */
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

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
