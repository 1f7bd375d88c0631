import { type Clock, pause, withTimeout } from '../../kube-client/src/clock.js';
import type { Acquired, Attempt, ClaimedLeases, NotAcquired, Place, WaitingLine } from './backend.js';
import { type Lock, HeldLock } from './held-lock.js';
import { type CompleteLockOptions, type LockOptions, LockError, completeLockOptions, isUnreachable, lockSchedule } from './lock-options.js';

const LEAVE_TIMEOUT = 2_000;
/** Between two attempts to reach the server for the first time. */
const RETRY_EVERY = 200;

/** The way to one lock: an attempt at once, and if that fails a place in the queue. */
export class Acquisition {
  readonly #options: CompleteLockOptions;
  readonly #leases: ClaimedLeases;
  readonly #line: WaitingLine;
  /** Aborts when the wait is over or the caller gives up. */
  readonly #until: AbortSignal;
  readonly #cancelTimer: () => void;
  #last: NotAcquired | undefined;

  constructor(options: CompleteLockOptions) {
    this.#options = options;
    this.#leases = options.backend.claim(options.claim);
    this.#line = options.backend.line(options.claim);
    const over = new AbortController();
    const { wait = Infinity, clock } = options;
    this.#cancelTimer = wait > 0 && wait < Infinity ? clock.after(wait, () => over.abort()) : () => undefined;
    this.#until = AbortSignal.any([options.signal, over.signal]);
  }

  async run(): Promise<HeldLock> {
    try {
      await this.#compareSlots();
      const first = await this.#tryAtOnce();
      if (first.held) return await this.#lock(first);
      if (this.#options.wait === 0) return await this.#lock(await this.#confirmDeath(first));
      this.#options.onWait(first.holder);
      return await this.#waitInLine(first);
    } catch (error) {
      await this.#briefly((signal) => this.#leases.abandon(signal));
      throw error;
    } finally {
      this.#cancelTimer();
    }
  }

  async #compareSlots(): Promise<void> {
    const { claim, signal, onError, onDisagreement } = this.#options;
    try {
      const other = await this.#leases.disagreement(signal);
      if (other !== undefined) onDisagreement(`${other}, here there are ${claim.leases.length} slots: everybody must say the same number`);
    } catch (error) {
      onError(error);
    }
  }

  /** Those who wait go first. Without a limit of time a server that has not answered yet is a mistake of the caller's, and not waited for. */
  async #tryAtOnce(): Promise<Attempt> {
    const { wait = Infinity, signal, clock, onError } = this.#options;
    const waits = wait > 0 && wait < Infinity;
    for (;;) {
      try {
        return await this.#leases.acquire(signal, () => this.#nobodyWaits());
      } catch (error) {
        if (signal.aborted || !isUnreachable(error) || !waits || this.#until.aborted) throw this.#reason(error);
        onError(error);
      }
      await pause(clock, RETRY_EVERY, this.#until);
    }
  }

  async #nobodyWaits(): Promise<boolean> {
    return !(await this.#line.isOccupied(this.#options.signal));
  }

  async #waitInLine(first: NotAcquired): Promise<HeldLock> {
    const place = this.#line.join();
    this.#last = first;
    let acquired: Acquired;
    try {
      acquired = await this.#acquireInTurn(place);
    } catch (error) {
      await this.#leave(place, false);
      return await this.#lock(await this.#lastChance(this.#last, error));
    }
    return this.#lock(acquired, this.#leave(place, true));
  }

  async #acquireInTurn(place: Place): Promise<Acquired> {
    for (;;) {
      await untilAnswered(this.#options, this.#until, (signal) => place.turn(signal));
      while (await untilAnswered(this.#options, this.#until, (signal) => place.isFirst(signal))) {
        const attempt = await untilAnswered(this.#options, this.#until, (signal) => this.#leases.acquire(signal));
        if (attempt.held) return attempt;
        this.#last = attempt;
        await untilAnswered(this.#options, this.#until, (signal) => this.#leases.waitForChange(signal));
      }
    }
  }

  /** For the last one whose wait is over, while the holder seems dead. */
  async #lastChance(last: NotAcquired, error: unknown): Promise<Acquired> {
    const { signal } = this.#options;
    if (signal.aborted || !this.#until.aborted) throw this.#reason(error);
    if (!last.seemsDead || !(await this.#nobodyWaits())) throw this.#notAcquired(last);
    return this.#confirmDeath(last);
  }

  /**
   * A holder that seems dead is watched until its lease has expired here, even if the caller does not want to wait that long: otherwise nobody
   * who waits only briefly would ever get the lock of a crashed holder.
   */
  async #confirmDeath(last: NotAcquired): Promise<Acquired> {
    const { signal, onError, onSeemsDead } = this.#options;
    let attempt: Attempt = last;
    if (last.seemsDead) onSeemsDead(last.holder);
    try {
      while (!attempt.held && attempt.seemsDead) {
        await this.#leases.waitForChange(signal, true);
        attempt = await this.#leases.acquire(signal);
      }
    } catch (error) {
      if (!isUnreachable(error)) throw this.#reason(error);
      onError(error);
    }
    if (attempt.held) return attempt;
    throw this.#notAcquired(attempt);
  }

  /** Frees the lock again if the caller has given up meanwhile. */
  async #lock(acquired: Acquired, leaving = Promise.resolve()): Promise<HeldLock> {
    const { claim, clock, grace, maxTerm = Infinity, onError, signal } = this.#options;
    const schedule = lockSchedule(claim.duration, grace);
    const lock = new HeldLock({ claim, leases: this.#leases, schedule, maxTerm, leaving, clock, onError }, acquired);
    if (!signal.aborted) return lock;
    await lock.release();
    throw signal.reason;
  }

  /** Those behind go on at once; a place that cannot be given up expires. */
  #leave(place: Place, served: boolean): Promise<void> {
    return this.#briefly((signal) => place.leave(served, signal));
  }

  async #briefly(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, onError } = this.#options;
    try {
      await withTimeout(clock, LEAVE_TIMEOUT, new AbortController().signal, work);
    } catch (error) {
      onError(error);
    }
  }

  #reason(error: unknown): unknown {
    const { signal } = this.#options;
    return signal.aborted ? signal.reason : error;
  }

  #notAcquired({ holder }: NotAcquired): LockError {
    const { claim } = this.#options;
    const by = holder === '' ? 'others wait for it' : `${holder} holds it`;
    return new LockError('not-acquired', `the lock ${claim.namespace}/${claim.lock} was not free in time: ${by}`);
  }
}

/**
 * Resolves once the lock is held. Rejects with a LockError, or with the reason of `options.signal`. Contenders are served in the order in which
 * they came.
 */
export async function acquireLock(name: string, options: LockOptions): Promise<Lock> {
  return new Acquisition(completeLockOptions(name, options)).run();
}

/** Runs work while the lock is held, and frees it afterwards. The work has to end when `lock.signal` aborts. */
export async function withLock<T>(name: string, options: LockOptions, work: (lock: Lock) => T | Promise<T>): Promise<T> {
  const lock = await acquireLock(name, options);
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

export interface RetryOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Repeats a request until it is answered or the signal aborts; other errors than `unreachable` reject. */
export async function untilAnswered<T>(
  { clock, onError }: RetryOptions,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
    try {
      return await request(signal);
    } catch (error) {
      if (signal.aborted || !isUnreachable(error)) throw error;
      onError(error);
    }
    await pause(clock, wait * (1 + Math.random()), signal);
    signal.throwIfAborted();
  }
}
