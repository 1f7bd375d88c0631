/** How long portions may run in one turn of the event loop, in milliseconds. */
const TURN_MS = 5;
/** How long one portion of `gather` runs, in milliseconds. */
const PORTION_MS = 2;

type Portion = () => void;

/**
 * Long work, cut into portions, that shares the event loop with everything else: a few milliseconds of it, first come first served, in
 * each turn of the loop. Without it, many such jobs that are ready together would run in one turn, and delay every small request by all of
 * them.
 */
export class TimeSlicer {
  readonly #now: () => number;
  #waiting: Portion[] = [];
  #scheduled = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Runs a portion in a later turn. It must not throw. */
  run(portion: Portion): void {
    this.#waiting.push(portion);
    this.#schedule();
  }

  /** The same for work with a result. */
  do<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.run(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  /** All that an iterator yields, in as many portions as that takes. Ends early, with a part of it, when `isWanted` returns false. */
  async gather<T>(steps: Iterator<T>, isWanted: () => boolean = () => true): Promise<T[]> {
    const gathered: T[] = [];
    while (isWanted() && (await this.do(() => this.#gatherPortion(steps, gathered))));
    return gathered;
  }

  /** Whether there may be more. */
  #gatherPortion<T>(steps: Iterator<T>, gathered: T[]): boolean {
    const end = this.#now() + PORTION_MS;
    do {
      const step = steps.next();
      if (step.done) return false;
      gathered.push(step.value);
    } while (this.#now() < end);
    return true;
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    const portions = this.#waiting;
    this.#waiting = [];
    const end = this.#now() + TURN_MS;
    let done = 0;
    while (done < portions.length && (done === 0 || this.#now() < end)) portions[done++]?.();
    // What portions have added stands behind those that have waited longer.
    if (done < portions.length) this.#waiting = [...portions.slice(done), ...this.#waiting];
    this.#scheduled = false;
    this.#schedule();
  }
}

/** A process has one event loop. */
export const timeSlicer = new TimeSlicer();
