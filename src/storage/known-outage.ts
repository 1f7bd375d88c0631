import type { Scheduler } from '../time/scheduler.js';
import { StorageError } from './storage-errors.js';

/**
 * How long requests wait for the database before an outage counts as known. Longer than the two seconds, with jitter, between the attempts
 * of client-go's leader elector: after a failover, every leader has a renewal waiting that succeeds the moment the database is back.
 */
const KNOWN_AFTER_MS = 3_000;

/**
 * Whether the database has been unreachable for so long that requests are refused at once (docs/decisions/0028-refusals-in-an-outage.md).
 * Its owner keeps trying by itself, since refused requests do not find out when the database is back.
 */
export class KnownOutage {
  readonly #scheduler: Scheduler;
  #began: number | undefined;
  #cause: unknown;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Whether the last attempt failed. */
  get isOngoing(): boolean {
    return this.#began !== undefined;
  }

  /** The database could not be reached. */
  failed(cause: unknown): void {
    this.#began ??= this.#scheduler.now();
    this.#cause = cause;
  }

  /** The database responded. */
  ended(): void {
    this.#began = this.#cause = undefined;
  }

  /** The error of a request that arrives now; undefined if it may wait for the database. */
  refusal(): StorageError | undefined {
    if (this.#began === undefined || this.#scheduler.now() - this.#began < KNOWN_AFTER_MS) return undefined;
    return new StorageError('Unavailable', 'the database is known to be unavailable', { refused: true, cause: this.#cause });
  }
}
