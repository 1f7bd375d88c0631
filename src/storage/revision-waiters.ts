import type { Scheduler } from '../time/scheduler.js';

interface Waiter {
  readonly revision: bigint;
  readonly done: (reached: boolean) => void;
}

/** Callers that wait for a store to reach a revision. */
export class RevisionWaiters {
  readonly #scheduler: Scheduler;
  readonly #waiters = new Set<Waiter>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Resolves to whether the revision was reached within this time. */
  wait(revision: bigint, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (reached: boolean) => {
        cancel();
        this.#waiters.delete(waiter);
        resolve(reached);
      };
      const waiter: Waiter = { revision, done };
      const cancel = this.#scheduler.after(timeoutMs, () => done(false));
      this.#waiters.add(waiter);
    });
  }

  /** Ends the waits for revisions up to this one. */
  reached(revision: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.revision <= revision) waiter.done(true);
    }
  }
}
