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
  /** The server process of the session that writes; undefined if that is unknown, as behind a pooler. */
  readonly writer: () => number | undefined;
  /** A session, or its statement, was ended. */
  readonly ended: () => void;
}

/**
 * Finds out who keeps a batch waiting: who has the revision counter locked, or a table or catalogue. A SQL client that still has the counter a second
 * later is ended, and so is a statement that still waits for a table, with all writes of all servers in the queue behind it. Any other session is only
 * named in the log: an administrator, or another server, knows what it does.
 */
export class CounterWatch {
  readonly #locks: LockRepository;
  readonly #options: CounterWatchOptions;
  #isWatching = false;
  /** The transaction that had the counter at the last look. */
  #seen: string | undefined;
  #told: string | undefined;
  /** The server processes that were in the way at the last look, and those that have been named since there was none. */
  #blockers: readonly number[] = [];
  readonly #named = new Set<number>();

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
      const debug = (err: unknown) => this.#options.logger.debug({ err }, 'cannot see who keeps writes waiting');
      await this.#lookAtBlockers().catch(debug);
      if (this.#blockers.length === 0) await this.#lookAtHolder().catch(debug);
    } else {
      this.#seen = undefined;
      this.#blockers = [];
      this.#named.clear();
    }
    this.#isWatching = false;
    if (ms !== undefined) this.watch();
  }

  async #lookAtBlockers(): Promise<void> {
    const writer = this.#options.writer();
    const found = writer === undefined ? [] : await this.#locks.blockers(writer, this.#blockers);
    const seen = this.#blockers;
    this.#blockers = found.map(({ pid }) => pid);
    for (const blocker of found) {
      if (blocker.cancelled) this.#options.ended();
      else if (!seen.includes(blocker.pid) || this.#named.has(blocker.pid)) continue;
      this.#named.add(blocker.pid);
      const what = blocker.cancelled ? 'cancelled a statement that kept all writes waiting' : 'a session keeps all writes waiting';
      this.#options.logger.warn({ holder: describeHolder(blocker) }, what);
    }
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
