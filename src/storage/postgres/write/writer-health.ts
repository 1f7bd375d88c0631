import type { Scheduler } from '../../scheduler.js';

/** A failure is held against the writer for so long where no other write was tried since. */
const MEMORY_MS = 15_000;
/** A commit that takes longer keeps all others waiting. */
const LONGEST_COMMIT_MS = 10_000;

/** What a commit queue knows of whether the database takes writes. */
export class WriterHealth {
  readonly #scheduler: Scheduler;
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  #sentAt: number | undefined;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get isBusy(): boolean {
    return this.#sentAt !== undefined;
  }

  sent(): void {
    this.#sentAt = this.#scheduler.now();
  }

  committed(): void {
    this.#sentAt = this.#failure = undefined;
  }

  /** A batch came to nothing, for a reason that `check` of the connection would find again. */
  answered(): void {
    this.#sentAt = undefined;
  }

  /** The database refused a batch on a connection that works. */
  failed(error: unknown): void {
    this.#failure = { error, at: this.#scheduler.now() };
  }

  /** Throws the reason where writes fail or hang. */
  check(): void {
    const now = this.#scheduler.now();
    if (this.#failure && now - this.#failure.at < MEMORY_MS) throw this.#failure.error;
    if (this.#sentAt !== undefined && now - this.#sentAt > LONGEST_COMMIT_MS) {
      throw new Error(`a commit has been under way for ${Math.round(now - this.#sentAt)} ms`);
    }
  }
}
