import { isFaultOfServer } from '../../database/session/pg-errors.js';
import type { Scheduler } from '../../../time/scheduler.js';

/** How long a failure counts if no other write has been tried since. */
const MEMORY_MS = 15_000;
/** A commit that takes longer delays all others. */
const LONGEST_COMMIT_MS = 10_000;

/** Tracks whether the database accepts writes. */
export class WriterHealth {
  readonly #scheduler: Scheduler;
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  /** The objects of which a write failed since the last commit; two are enough. */
  readonly #refused = new Set<string>();
  #sentAt: number | undefined;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get isBusy(): boolean {
    return this.#sentAt !== undefined;
  }

  /** How long the batch in flight has been under way. */
  get inFlightMs(): number | undefined {
    return this.#sentAt === undefined ? undefined : this.#scheduler.now() - this.#sentAt;
  }

  /** A batch was sent. */
  sent(): void {
    this.#sentAt = this.#scheduler.now();
  }

  /** The batch was committed, which ends any earlier failure. */
  committed(): void {
    this.#sentAt = this.#failure = undefined;
    this.#refused.clear();
  }

  /** A batch had no effect, for a reason that the connection's `check` would find again. */
  answered(): void {
    this.#sentAt = undefined;
  }

  /** The database rejected one write, or what was left of a batch. Unless the database itself is at fault, others may succeed. */
  refused(object: string, error: unknown): void {
    if (this.#refused.size < 2) this.#refused.add(object);
    if (this.#refused.size > 1 || isFaultOfServer(error)) this.failed(error);
  }

  /** The database rejected a batch on a working connection. */
  failed(error: unknown): void {
    this.#failure = { error, at: this.#scheduler.now() };
  }

  /** Throws the reason if writes fail or hang. */
  check(): void {
    if (this.#failure && this.#scheduler.now() - this.#failure.at < MEMORY_MS) throw this.#failure.error;
    const ms = this.inFlightMs ?? 0;
    if (ms > LONGEST_COMMIT_MS) throw new Error(`a commit has been under way for ${Math.round(ms)} ms`);
  }
}
