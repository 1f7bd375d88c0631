import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../kube-client/src/clock.js';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Time that advances only when a test moves it. */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now = 1_000_000;

  monotonic(): number {
    return this.#now;
  }

  wallTime(): Date {
    return new Date(Date.UTC(2026, 0, 1) + this.#now);
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the time and runs everything at the moment it is due. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#now = Math.max(this.#now, timer.at);
      await this.#fire(timer);
    }
    this.#now = end;
  }

  /** Like `pass`, for a process that is stopped meanwhile: due callbacks run late, the earliest first. */
  async stopFor(ms: number): Promise<void> {
    await settle();
    this.#now += ms;
    for (let timer = this.#next(this.#now); timer; timer = this.#next(this.#now)) await this.#fire(timer);
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    timer.run();
    await settle();
  }

  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}

/** Waits until everything that depends only on other promises is done. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await turn();
}
