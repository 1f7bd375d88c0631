/** Pieces of work in one turn of the event loop, of all connections together: some milliseconds, where each is a refused request. */
export const PIECES_PER_TURN = 128;
/** Of one connection, before others are asked; a well-behaved client with many requests at a time is not held up. */
const PIECES_IN_A_ROW = 64;
/** The same for one that has waited, so that those who wait go on side by side. */
const PIECES_AFTER_WAITING = 16;

/** Who has work that clients cause: a connection with requests to begin, or with streams to end. */
export interface Worker {
  /** Its turn has come: takes as many pieces as it is given. */
  goOn(): void;
}

/**
 * Spreads what clients cause over turns of the event loop: requests that begin, and streams that end with their connection. However much
 * of it comes at once, a turn takes no more than so many pieces, and who has to wait goes on in the turns after, in order. So an innocent
 * client's request waits for a bounded number of others, whoever sends how many.
 */
export class WorkTurns {
  #left = PIECES_PER_TURN;
  #worker: Worker | undefined;
  #inARow = 0;
  readonly #waiting = new Set<Worker>();
  #isArmed = false;
  readonly #next = (): void => this.#begin();

  /** Whether the worker may do a piece now. If not, it is told when it may. */
  take(worker: Worker): boolean {
    if (worker !== this.#worker) this.#give(worker, PIECES_IN_A_ROW);
    this.#arm();
    if (this.#left === 0 || this.#inARow === 0) {
      this.#waiting.add(worker);
      return false;
    }
    this.#left -= 1;
    this.#inARow -= 1;
    return true;
  }

  #give(worker: Worker | undefined, pieces: number): void {
    this.#worker = worker;
    this.#inARow = pieces;
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(this.#next);
  }

  /** Those who wait come before what this turn brings; who waits once more is reached again while there are pieces. */
  #begin(): void {
    this.#isArmed = false;
    this.#left = PIECES_PER_TURN;
    for (const worker of this.#waiting) {
      if (this.#left === 0) break;
      this.#waiting.delete(worker);
      this.#give(worker, PIECES_AFTER_WAITING);
      worker.goOn();
    }
    this.#give(undefined, 0);
    if (this.#waiting.size > 0) this.#arm();
  }
}

/** Does the same to each of many things, in as many turns as that takes; begins at once. */
export function inTurns<T>(turns: WorkTurns, items: readonly T[], act: (item: T) => void): void {
  let at = 0;
  const worker: Worker = {
    goOn() {
      for (; at < items.length && turns.take(worker); at++) act(items[at] as T);
    },
  };
  worker.goOn();
}
