import type { Logger } from 'pino';
import { describeHolder } from '../../database/session/lock-holders.js';
import type { Scheduler } from '../../../time/scheduler.js';
import type { LockRepository } from './lock.repository.js';

/** A batch usually takes milliseconds. */
const LOOK_MS = 1_000;

interface CounterWatchOptions {
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** How long the batch in flight has been under way, in milliseconds; undefined if there is none. */
  readonly inFlightMs: () => number | undefined;
  /** A session was ended. */
  readonly ended: () => void;
}

/**
 * Finds out who has the revision counter locked while a batch takes long. A SQL client that still has it a second later is ended: all writes of
 * all servers wait for it. Any other session is only named in the log: an administrator, or another server, knows what it does.
 */
export class CounterWatch {
  readonly #locks: LockRepository;
  readonly #options: CounterWatchOptions;
  #isWatching = false;
  /** The transaction that had the counter at the last look. */
  #seen: string | undefined;
  #told: string | undefined;

  constructor(locks: LockRepository, options: CounterWatchOptions) {
    this.#locks = locks;
    this.#options = options;
  }

  /** A batch was sent. Costs nothing if one was a moment ago. */
  watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#options.scheduler.after(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const ms = this.#options.inFlightMs();
    if (ms !== undefined && ms >= LOOK_MS / 2) {
      await this.#lookAtHolder().catch((err: unknown) =>
        this.#options.logger.debug({ err }, 'cannot see who has locked the revision counter'),
      );
    } else this.#seen = undefined;
    this.#isWatching = false;
    if (ms !== undefined) this.watch();
  }

  async #lookAtHolder(): Promise<void> {
    const holder = await this.#locks.counterHolder(this.#seen);
    const isSeen = holder !== undefined && holder.transaction === this.#seen;
    this.#seen = holder?.transaction;
    if (!isSeen || (holder.transaction === this.#told && !holder.ended)) return;
    this.#told = holder.transaction;
    const what = holder.ended ? 'ended a SQL client that kept all writes waiting' : 'a session keeps all writes waiting';
    this.#options.logger.warn({ holder: describeHolder(holder) }, what);
    if (holder.ended) this.#options.ended();
  }
}
