import { type SilenceOptions, KnownOutage } from '../../known-outage.js';
import type { Scheduler } from '../../../time/scheduler.js';
import type { StorageError } from '../../storage-errors.js';

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
