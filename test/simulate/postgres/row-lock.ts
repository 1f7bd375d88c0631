import type { World } from '../world/world.js';

interface Waiter {
  readonly granted: () => void;
  readonly cancel: () => void;
}

/** The lock of one row, granted in order of request. */
export class RowLock {
  readonly #world: World;
  #holder: object | undefined;
  #queue: Waiter[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** Calls one of the two callbacks; `release` ends the lock. */
  acquire(holder: object, timeoutMs: number, granted: () => void, timedOut: () => void): void {
    if (this.#holder === holder) return granted();
    if (this.#holder === undefined) {
      this.#holder = holder;
      return granted();
    }
    const cancel = this.#world.after(timeoutMs, () => {
      this.#queue = this.#queue.filter((other) => other !== waiter);
      timedOut();
    });
    const grant = () => {
      this.#holder = holder;
      granted();
    };
    const waiter: Waiter = { granted: grant, cancel };
    this.#queue.push(waiter);
  }

  isHeldBy(holder: object): boolean {
    return this.#holder === holder;
  }

  release(holder: object): void {
    if (this.#holder !== holder) return;
    this.#holder = undefined;
    const next = this.#queue.shift();
    next?.cancel();
    next?.granted();
  }
}
