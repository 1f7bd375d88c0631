import type { Scheduler } from '../../../time/scheduler.js';
import { isFaultOfServer } from '../../database/session/pg-errors.js';
import { type SilenceOptions, type StorageError, KnownOutage } from '../../storage-errors.js';

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

const LOOK_MS = 500;

/** An outage as writes see it. While it lasts, `attempt` is called regularly, and the first one that resolves ends it. */
export class WriteOutage {
  readonly #scheduler: Scheduler;
  readonly #attempt: () => Promise<void>;
  readonly #outage: KnownOutage;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(scheduler: Scheduler, attempt: () => Promise<void>, silence: SilenceOptions) {
    this.#scheduler = scheduler;
    this.#attempt = attempt;
    this.#outage = new KnownOutage(scheduler, silence);
  }

  /** A batch is about to be sent, and nothing else meanwhile. */
  asked(): void {
    this.#outage.asked();
  }

  /** The batch was refused, which does not mean that nothing can be written. */
  answered(): void {
    this.#outage.answered();
  }

  /** The database could not be reached, or accepts no writes. */
  failed(cause: unknown): void {
    this.#outage.failed(cause);
    if (!this.#stopped) this.#cancel ??= this.#scheduler.after(LOOK_MS, () => void this.#look());
  }

  /** A write was possible. */
  ended(): void {
    this.#outage.ended();
  }

  /** The error of a write that arrives now; undefined if it may wait for the database. */
  refusal(): StorageError | undefined {
    return this.#outage.refusal();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#outage.ended();
  }

  async #look(): Promise<void> {
    const failure = await this.#attempt().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    this.#cancel = undefined;
    if (!failure) this.#outage.ended();
    // A write may have been possible meanwhile.
    else if (this.#outage.isOngoing) this.failed(failure.error);
  }
}
