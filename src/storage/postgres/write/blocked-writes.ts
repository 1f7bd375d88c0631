import type { Logger } from 'pino';
import { type Scheduler, sleep } from '../../../time/scheduler.js';
import { StorageError } from '../../storage-errors.js';
import { type PendingWrite, abandon, isAbandoned } from './pending-write.js';
import type { LockRepository } from './lock.repository.js';

const LOOK_MS = 250;

/** How blocked writes are looked after. */
export interface BlockedWritesOptions {
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** How long a write waits for its row, in milliseconds. */
  readonly writeRetryMs: number;
  /** Requeues a write whose row is free. */
  readonly retry: (write: PendingWrite) => void;
  /** Keeps track of what goes on as long as a write waits. */
  readonly inBackground: (work: Promise<void>) => void;
}

/**
 * Writes of rows that other sessions have locked, such as an administrator's `select ... for update`. In a batch, they would wait with the
 * counter locked, and all writes of all servers with them. They wait here instead, until their rows are free.
 */
export class BlockedWrites {
  readonly #locks: LockRepository;
  readonly #options: BlockedWritesOptions;
  #waiting: PendingWrite[] = [];
  /** Names of locked objects. */
  readonly #locked = new Set<string>();
  #isLooking = false;
  #closed = false;

  constructor(locks: LockRepository, options: BlockedWritesOptions) {
    this.#locks = locks;
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Whether its row, or its container's, was locked when it was last looked at. */
  includes({ lock, containerLock }: PendingWrite): boolean {
    if (this.#locked.size === 0) return false;
    return this.#locked.has(lock) || (containerLock !== undefined && this.#locked.has(containerLock));
  }

  /** Adds those of the writes whose rows are locked, and returns the others. Rejects with StorageError Unavailable. */
  async takeFrom(batch: readonly PendingWrite[]): Promise<PendingWrite[]> {
    const locked = await this.#locks.locked(batch);
    const news = [...locked].filter((write) => !this.includes(write));
    for (const write of locked) this.add(write);
    if (news.length > 0) await this.#tell(news);
    return batch.filter((write) => !locked.has(write));
  }

  add(write: PendingWrite): void {
    if (this.#closed) return write.reject(new StorageError('Unavailable', 'the store is closed'));
    this.#waiting.push(write);
    this.#locked.add(write.kind === 'A' ? (write.containerLock ?? write.lock) : write.lock);
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#options.inBackground(this.#lookUntilFree());
  }

  close(): void {
    this.#closed = true;
  }

  async #lookUntilFree(): Promise<void> {
    while (this.#waiting.length > 0) {
      await sleep(this.#options.scheduler, LOOK_MS);
      this.#expire();
      await this.#look();
    }
    this.#locked.clear();
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    const looked = this.#waiting;
    if (looked.length === 0) return;
    try {
      const locked = await this.#locks.locked(looked);
      const since = this.#waiting.filter((write) => !looked.includes(write));
      this.#waiting = [];
      this.#locked.clear();
      for (const write of [...looked.filter((write) => locked.has(write)), ...since]) this.add(write);
      for (const write of looked) if (!locked.has(write)) this.#options.retry(write);
    } catch (err) {
      this.#options.logger.debug({ err }, 'cannot find out which rows are locked');
    }
  }

  #expire(): void {
    const { scheduler, writeRetryMs } = this.#options;
    const oldest = this.#closed ? Infinity : scheduler.now() - writeRetryMs;
    const now = performance.now();
    this.#waiting = this.#waiting.filter((write) => {
      if (isAbandoned(write, now)) abandon(write);
      else if (write.since <= oldest) write.reject(new StorageError('Unavailable', `another session has locked the row of ${write.lock}`));
      else return true;
      return false;
    });
  }

  /** Names the sessions, as far as they can be seen. */
  async #tell(writes: readonly PendingWrite[]): Promise<void> {
    const holders = await this.#locks.holdersOfRows().catch((): string[] => []);
    const objects = writes.slice(0, 10).map(({ lock }) => lock);
    this.#options.logger.warn(
      { objects, more: writes.length - objects.length, holders },
      'other sessions have locked rows; writes of these rows wait',
    );
  }
}
