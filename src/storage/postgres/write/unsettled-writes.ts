import { StorageError, isStorageError } from '../../storage-errors.js';
import { type PendingWrite, abandon, isAbandoned, stateAfter, unknownOutcome } from './pending-write.js';
import type { CounterState } from '../lineage/counter.repository.js';
import type { FoundOutcome, WriteOutcomeRepository, WriteTarget } from './write-outcome.repository.js';
import { type Scheduler, sleep } from '../../../time/scheduler.js';
import { Backoff } from '../../../time/backoff.js';

/** A creation whose obstacle is gone when it is looked up is tried again, but only this often. */
const MAX_ATTEMPTS = 5;

/** How unsettled writes are looked up and retried. */
export interface UnsettledWritesOptions {
  readonly scheduler: Scheduler;
  /** How long a lookup is retried while the database is unavailable, in milliseconds. */
  readonly writeRetryMs: number;
  /** Requeues a write that certainly had no effect, or that may safely be sent twice. */
  readonly retry: (write: PendingWrite) => void;
}

interface Lookup<T> {
  readonly read: (writes: readonly PendingWrite[]) => Promise<T[]>;
  readonly answer: (write: PendingWrite, found: T) => void;
  /** The database did not respond within `writeRetryMs`. */
  readonly failed: (write: PendingWrite, error: unknown) => void;
}

/**
 * Settles the writes that a batch refused, or whose outcome is unknown, by reading the state of their objects. Never reports a write as
 * refused that may have taken effect, or still may.
 */
export class UnsettledWrites {
  readonly #outcomes: WriteOutcomeRepository;
  readonly #options: UnsettledWritesOptions;

  constructor(outcomes: WriteOutcomeRepository, options: UnsettledWritesOptions) {
    this.#outcomes = outcomes;
    this.#options = options;
  }

  /** For writes that a committed batch refused. */
  async explain(writes: readonly PendingWrite[]): Promise<void> {
    const now = performance.now();
    for (const write of writes) if (isAbandoned(write, now)) abandon(write);
    const inTime = writes.filter((write) => !isAbandoned(write, now));
    const clear = inTime.filter((write) => !write.unclearSince);
    await this.#each(clear, {
      read: (some) => this.#outcomes.targets(some),
      answer: (write, target) => this.#refuse(write, target),
      failed: (write, error) => write.reject(error),
    });
    for (const write of inTime) if (write.unclearSince) await this.findOut([write], write.unclearSince);
  }

  /** For writes of a batch whose result was lost. `since`: the state of the counter when it was sent. */
  async findOut(writes: readonly PendingWrite[], since: CounterState): Promise<void> {
    for (const write of writes) write.unclearSince ??= since;
    await this.#each(writes, {
      read: (some) => this.#outcomes.outcomes(some, since),
      answer: (write, found) => this.#settle(write, found),
      failed: (write) => write.reject(unknownOutcome(write)),
    });
  }

  async #each<T>(writes: readonly PendingWrite[], { read, answer, failed }: Lookup<T>): Promise<void> {
    if (writes.length === 0) return;
    try {
      const { scheduler, writeRetryMs } = this.#options;
      const found = await retryWhileUnavailable(scheduler, writeRetryMs, () => read(writes));
      writes.forEach((write, i) => answer(write, found[i] as T));
    } catch (error) {
      for (const write of writes) failed(write, error);
    }
  }

  #refuse(write: PendingWrite, target: WriteTarget): void {
    const error = reasonOf(write, target);
    if (error) return write.reject(error);
    if (++write.attempts < MAX_ATTEMPTS) return this.#options.retry(write);
    write.reject(new StorageError('Unavailable', `${write.lock} keeps appearing and disappearing`));
  }

  #settle(write: PendingWrite, found: FoundOutcome): void {
    if (found.applied !== null) return write.resolve(stateAfter(write, found.applied));
    const floor = write.unclearSince?.value ?? 0;
    // The row that would tell may have been compacted.
    if (found.compacted > floor) return write.reject(unknownOutcome(write));
    // A creation that is sent twice could take effect twice, with a deletion in between.
    if (write.kind === 'A') return write.reject(unknownOutcome(write));
    // The state that it replaces is gone for good, so it can no longer take effect.
    if (found.revision !== write.current?.revision) return write.reject(lostRace(write, found.revision));
    const { scheduler, writeRetryMs, retry } = this.#options;
    if (scheduler.now() - write.since < writeRetryMs) return retry(write);
    write.reject(unknownOutcome(write));
  }
}

/** The reason for a refusal; undefined if it no longer exists. */
function reasonOf(write: PendingWrite, target: WriteTarget): StorageError | undefined {
  const { container, containerLock, lock } = write;
  // Its deadline had passed in the database, but not yet here.
  if (write.kind !== 'A' && target.revision === write.current?.revision) return undefined;
  if (write.kind !== 'A') return lostRace(write, target.revision);
  if (container && !target.container_found) return new StorageError('ContainerMissing', `${containerLock} does not exist`);
  if (container && target.container_terminating) return new StorageError('ContainerTerminating', `${containerLock} is terminating`);
  return target.revision === null ? undefined : new StorageError('Exists', `${lock} exists`);
}

function lostRace(write: PendingWrite, revision: number | null): StorageError {
  if (revision === null) return new StorageError('NotFound', `${write.lock} does not exist`);
  return new StorageError('Conflict', `${write.lock} is at ${revision}`);
}

/**
 * Repeats `attempt` with back-off while it rejects with StorageError Unavailable, for at most `writeRetryMs`; then rejects with that error.
 */
async function retryWhileUnavailable<T>(scheduler: Scheduler, writeRetryMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = scheduler.now() + writeRetryMs;
  const backoff = new Backoff(50, 1_000);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isStorageError(error, 'Unavailable') || scheduler.now() >= deadline) throw error;
    }
    await sleep(scheduler, backoff.next());
  }
}
