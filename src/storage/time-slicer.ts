/** Total time of portions in one turn of the event loop, in milliseconds. */
const TURN_MS = 5;
/** Duration of one portion of `gather`, in milliseconds. */
const PORTION_MS = 2;

type Portion = () => void;

/**
 * Shares the event loop between long work, cut into portions, and everything else: each turn runs a few milliseconds of portions, first
 * come, first served. Otherwise, many such jobs that become ready together would run in one turn and delay every small request by their
 * total.
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

  /** Like `run`, for work with a result. */
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

  /** Collects what an iterator yields, in as many portions as needed. Ends early with a partial result when `isWanted` returns false. */
  async gather<T>(steps: Iterator<T>, isWanted: () => boolean = () => true): Promise<T[]> {
    const gathered: T[] = [];
    while (isWanted() && (await this.do(() => this.#gatherPortion(steps, gathered))));
    return gathered;
  }

  /** Returns whether there may be more. */
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
    // Portions added by portions queue after those that have waited longer.
    if (done < portions.length) this.#waiting = [...portions.slice(done), ...this.#waiting];
    this.#scheduled = false;
    this.#schedule();
  }
}

/** A process has one event loop. */
export const timeSlicer = new TimeSlicer();
