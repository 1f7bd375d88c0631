/** Longer bodies wait for their turn. */
export const LARGE_BYTES = 16 * 1024;

const LONGEST_REST_MS = 100;

/**
 * Lets work on large bodies begin one at a time, owner by owner, and then rest for as long as it took: however many connections send them, a
 * small request waits for one, and half of the event loop's time is left for others.
 */
export class LargeTurns {
  /** In the order of their owners' turns. */
  readonly #waiting = new Map<object, (() => void)[]>();
  #isBusy = false;

  /** `work` is the next turn of the event loop's, and includes what its promises go on with. */
  wait(owner: object, work: () => void): void {
    const queue = this.#waiting.get(owner);
    if (queue) queue.push(work);
    else this.#waiting.set(owner, [work]);
    if (this.#isBusy) return;
    this.#isBusy = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    const [first] = this.#waiting;
    if (!first) {
      this.#isBusy = false;
      return;
    }
    const [owner, [work, ...others]] = first;
    this.#waiting.delete(owner);
    if (others.length > 0) this.#waiting.set(owner, others);
    const started = performance.now();
    work?.();
    setImmediate(() => setTimeout(() => this.#next(), Math.min(performance.now() - started, LONGEST_REST_MS)));
  }
}

/** One for each event loop, which is what is shared. */
export const largeTurns = new LargeTurns();
