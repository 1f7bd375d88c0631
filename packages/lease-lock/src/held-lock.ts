import { type Clock, pause, withTimeout } from '../../kube-client/src/clock.js';
import type { Acquired, Claim, ClaimedLeases } from './backend.js';
import { type LockSchedule, LockError } from './lock-options.js';

/** How often the clock is looked at: a suspended machine runs no timers. */
const LOOK_EVERY = 1_000;
const RELEASE_TIMEOUT = 2_000;
/** Locks that are held more briefly than this are not watched. */
const WATCH_AFTER = 250;

export interface HeldLockOptions {
  readonly claim: Claim;
  readonly leases: ClaimedLeases;
  readonly schedule: LockSchedule;
  readonly maxTerm: number;
  /** Resolves when the place in the queue is given up. */
  readonly leaving: Promise<void>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export class HeldLock implements Lock {
  readonly slot: number;
  readonly token: bigint;
  readonly #options: HeldLockOptions;
  readonly #loss = new AbortController();
  readonly #ending = new AbortController();
  readonly #released = new AbortController();
  readonly #renewing: Promise<void>;
  readonly #timer: WhenDue;
  readonly #termTimer: WhenDue | undefined;
  readonly #acquiredAt: number;
  #renewedAt: number;
  #isGone = false;
  #onChange: () => void = () => undefined;
  /** Aborts when the lease seems to be somebody else's, or gone. */
  #disturbed = new AbortController();
  #release: Promise<void> | undefined;

  constructor(options: HeldLockOptions, { slot, token, at }: Acquired) {
    this.#options = options;
    this.slot = slot;
    this.token = token;
    this.#acquiredAt = this.#renewedAt = at;
    if (options.maxTerm < Infinity) {
      this.#termTimer = new WhenDue(
        options.clock,
        () => Math.min(LOOK_EVERY, options.maxTerm - this.#age),
        () => this.#ending.abort(new Error('the longest term is over')),
      );
    }
    this.#timer = new WhenDue(
      options.clock,
      () => this.#nextLook(),
      () => this.isHeld(),
    );
    const renewed = new AbortController();
    this.#renewing = this.#keepRenewing().finally(() => renewed.abort());
    void this.#keepWatching(renewed.signal);
  }

  get name(): string {
    return this.#options.claim.lock;
  }

  get namespace(): string {
    return this.#options.claim.namespace;
  }

  get lease(): string {
    return this.#options.claim.leases[this.slot] ?? '';
  }

  get holder(): string {
    return this.#options.claim.holder;
  }

  get signal(): AbortSignal {
    return this.#loss.signal;
  }

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Called when the times change: after each renewal, also after the loss, and when somebody else has the lease. */
  set onChange(callBack: () => void) {
    this.#onChange = callBack;
  }

  isHeld(): boolean {
    if (this.lostIn() <= 0) this.#lose('it could not be renewed in time');
    return !this.signal.aborted && !this.#released.signal.aborted;
  }

  throwIfLost(): void {
    this.isHeld();
    this.signal.throwIfAborted();
  }

  exclusiveFor(): number {
    return this.#isGone ? 0 : Math.max(0, this.#left(this.#options.schedule.exclusiveFor));
  }

  /** Milliseconds until the lock counts as lost unless it is renewed. */
  lostIn(): number {
    return this.#isGone ? 0 : this.#left(this.#options.schedule.lostAfter);
  }

  /** How long a lock that was handed over is left to others. */
  get standAside(): number {
    return this.#options.schedule.standAside;
  }

  /** How much later than this process a guard acts in its place. */
  get guardDelay(): number {
    return this.#options.schedule.guardDelay;
  }

  release(): Promise<void> {
    this.#release ??= this.#stopAndFree();
    return this.#release;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  async #stopAndFree(): Promise<void> {
    const { leases, leaving, clock, onError } = this.#options;
    this.#timer.cancel();
    this.#termTimer?.cancel();
    this.#released.abort();
    await this.#renewing;
    await leaving;
    if (this.#isGone) return;
    try {
      await withTimeout(clock, RELEASE_TIMEOUT, new AbortController().signal, (signal) => leases.release(signal));
    } catch (error) {
      onError(error);
    }
  }

  /** Goes on after a loss as long as nobody else can hold the lease: work that takes its time to end keeps its protection. */
  async #keepRenewing(): Promise<void> {
    const { schedule, clock, onError } = this.#options;
    const { signal } = this.#released;
    let wait = this.#left(schedule.renewEvery);
    while (!signal.aborted) {
      await pause(clock, wait, AbortSignal.any([signal, this.#disturbed.signal]));
      if (signal.aborted || this.exclusiveFor() === 0) return;
      this.#disturbed = new AbortController();
      try {
        wait = (await this.#renew(signal)) ? this.#left(schedule.renewEvery) : 0;
      } catch (error) {
        if (!signal.aborted) onError(error);
        wait = schedule.retryEvery;
      }
    }
  }

  /** Without a watch, the next renewal tells that the lease was taken or deleted. */
  async #keepWatching(signal: AbortSignal): Promise<void> {
    const { leases, clock } = this.#options;
    try {
      for (let again = WATCH_AFTER; ; again = LOOK_EVERY) {
        await pause(clock, again, signal);
        if (signal.aborted || !leases.untilTaken) return;
        await leases.untilTaken(signal);
        this.#disturbed.abort();
      }
    } catch (error) {
      if (!signal.aborted) this.#options.onError(error);
    }
  }

  /** False if somebody else has taken or deleted the lease. */
  async #renew(signal: AbortSignal): Promise<boolean> {
    const { schedule, clock, leases } = this.#options;
    const renewal = await withTimeout(clock, schedule.requestTimeout, signal, (within) => leases.renew(within));
    if (renewal.held) {
      this.#renewedAt = renewal.at;
      this.#onChange();
      // A term lasts for a duration at least, so that work gets done however often contenders come that ask for the lease.
      if (renewal.preferred !== undefined && this.#age >= this.#options.claim.duration) {
        this.#ending.abort(new Error(`${renewal.preferred} is preferred`));
      }
      return true;
    }
    this.#isGone = true;
    this.#onChange();
    this.#lose(renewal.why === 'taken' ? 'somebody else has taken it' : 'somebody has freed or deleted it');
    return false;
  }

  #lose(why: string): void {
    if (!this.signal.aborted) this.#loss.abort(new LockError('lost', `the lease ${this.namespace}/${this.lease} is lost: ${why}`));
  }

  #left(after: number): number {
    return this.#renewedAt + after - this.#options.clock.monotonic();
  }

  get #age(): number {
    return this.#options.clock.monotonic() - this.#acquiredAt;
  }

  #nextLook(): number {
    return this.signal.aborted ? 0 : Math.min(LOOK_EVERY, this.lostIn());
  }
}

/** A lock that is held. Its lease is renewed until it is released or lost. */
export interface Lock extends AsyncDisposable {
  readonly name: string;
  readonly namespace: string;
  /** The Lease that is held: the lock's name, for a semaphore with the number of the slot. */
  readonly lease: string;
  /** From 0 up to the number of slots. */
  readonly slot: number;
  readonly holder: string;
  /** The fencing token: greater for every later acquisition of the lease, by whomever. */
  readonly token: bigint;
  /** Aborts with a LockError when the lock is lost: the work has to end within the grace. */
  readonly signal: AbortSignal;
  /** Aborts when the lock is to be released at the next good place of the work: its longest term is over, or another contender is preferred. */
  readonly ending: AbortSignal;
  /**
   * Whether the lock is held, by the clock at this moment. A process that was stopped sees the loss here before any timer has run; the signal
   * aborts within the call.
   */
  isHeld(): boolean;
  /** Throws the LockError if the lock is lost. */
  throwIfLost(): void;
  /** Milliseconds for which nobody else can hold the lease; after a loss this is what is left of the grace. */
  exclusiveFor(): number;
  /** Frees the lock. Never rejects: a lease that cannot be freed expires. */
  release(): Promise<void>;
}

/** Calls back once nothing is left of a time that may change meanwhile. */
export class WhenDue {
  readonly #clock: Clock;
  readonly #left: () => number;
  readonly #callBack: () => void;
  #cancelTimer: () => void = () => undefined;

  constructor(clock: Clock, left: () => number, callBack: () => void) {
    this.#clock = clock;
    this.#left = left;
    this.#callBack = callBack;
    this.check();
  }

  /** Needed when the time has become shorter; a longer one is noticed. */
  check(): void {
    this.#cancelTimer();
    const left = this.#left();
    if (left <= 0) this.#callBack();
    else this.#cancelTimer = this.#clock.after(left, () => this.check());
  }

  cancel(): void {
    this.#cancelTimer();
  }
}
