import type { Clock } from '../../kube-client/src/clock.js';

/**
 * Why a term ended. `aborted` and `resigned`: the holder ended it. `deadline`: not renewed in time. `taken`, `missing`: the lease
 * names another holder, or is gone. `end-of-term`: the election controller prefers another. `preferred`: a candidate with a greater priority asked for
 * the lease. `max-term`: its longest time was over. `failed`: the work rejected.
 */
export type TermEnd = 'aborted' | 'resigned' | 'deadline' | 'taken' | 'missing' | 'end-of-term' | 'preferred' | 'max-term' | 'failed';

/** The reason with which a term's signal aborts. */
export class TermEndedError extends Error {
  override readonly name = 'AbortError';

  constructor(
    readonly why: TermEnd,
    cause?: unknown,
  ) {
    super(`the term of leadership has ended: ${why}`, { cause });
  }
}

/** One uninterrupted period of holding the lease. */
export interface LeadershipTerm {
  readonly identity: string;
  /** The resourceVersion of the write that acquired the lease. Every later term on the same lease, of any holder, has a greater one. */
  readonly fencingToken: bigint;
  /** Aborts with a TermEndedError when the term ends. */
  readonly signal: AbortSignal;
  /**
   * Aborts when the term is to end, with the TermEndedError that `signal` will have: at once, or while the lease is still renewed until the work is
   * done or at a good place, or until the time for that is over.
   */
  readonly ending: AbortSignal;
  /** The work says that it can be interrupted here: a term that is to end ends. Returns whether it goes on. */
  atGoodPlace(): boolean;
  /**
   * Whether the term is still valid, by the clock at this moment. A process that was stopped sees the end of its term here before any
   * timer has run; the signal aborts within the call.
   */
  isValid(): boolean;
  /** Throws the term's TermEndedError if the term is not valid. */
  throwIfEnded(): void;
  /** Milliseconds for which the term is certain to remain valid. */
  remaining(): number;
  /** Ends the term. */
  resign(): void;
}

export interface TermOptions {
  readonly identity: string;
  readonly fencingToken: bigint;
  readonly renewDeadline: number;
  readonly clock: Clock;
}

/** A term as its elector sees it. Without a renewal it ends by itself, `renewDeadline` after the last renewal was sent. */
export class Term implements LeadershipTerm {
  readonly identity: string;
  readonly fencingToken: bigint;
  readonly #options: TermOptions;
  readonly #controller = new AbortController();
  readonly #ending = new AbortController();
  /** Why the term is to end. */
  #asked: TermEndedError | undefined;
  #isWorkDone = false;
  readonly #acquiredAt: number;
  #renewedAt: number;
  #cancelTimer: () => void = () => undefined;
  readonly #cancelLimits: (() => void)[] = [];

  constructor(options: TermOptions, acquiredAt: number) {
    this.identity = options.identity;
    this.fencingToken = options.fencingToken;
    this.#options = options;
    this.#acquiredAt = this.#renewedAt = acquiredAt;
    this.#awaitDeadline();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Milliseconds since the request that acquired the lease was sent. */
  get age(): number {
    return this.#options.clock.monotonic() - this.#acquiredAt;
  }

  /** When the last successful renewal was sent. */
  get renewedAt(): number {
    return this.#renewedAt;
  }

  get ended(): TermEndedError | undefined {
    return this.signal.aborted ? (this.signal.reason as TermEndedError) : undefined;
  }

  remaining(): number {
    if (this.signal.aborted) return 0;
    return Math.max(0, this.#untilDeadline());
  }

  isValid(): boolean {
    if (this.remaining() === 0) this.end('deadline');
    return !this.signal.aborted;
  }

  throwIfEnded(): void {
    this.isValid();
    this.signal.throwIfAborted();
  }

  resign(): void {
    this.end('resigned');
  }

  atGoodPlace(): boolean {
    if (this.isValid() && this.#asked) this.end(this.#asked.why, this.#asked.cause);
    return !this.signal.aborted;
  }

  /** The term is to end: with the work, at a good place of it, or after this time. Only being told to stop replaces another reason. */
  askToEnd(why: TermEnd, within: number, cause?: unknown): void {
    if (!this.isValid() || (this.#asked && why !== 'aborted')) return;
    this.#asked = new TermEndedError(why, cause);
    if (this.#isWorkDone || within <= 0) return this.end(why, cause);
    this.#cancelLimits.push(this.#options.clock.after(within, () => this.end(why, cause)));
    this.#ending.abort(this.#asked);
  }

  /** A term that is to end ends with its work; any other goes on. */
  workDone(): void {
    this.#isWorkDone = true;
    this.atGoodPlace();
  }

  /** Records a successful renewal whose request was sent at this moment. One that comes too late changes nothing. */
  renewed(at: number): void {
    if (!this.isValid()) return;
    this.#renewedAt = at;
  }

  /** Ends the term; only the first call has an effect. */
  end(why: TermEnd, cause?: unknown): void {
    if (this.signal.aborted) return;
    this.#cancelTimer();
    for (const cancel of this.#cancelLimits) cancel();
    const ended = new TermEndedError(why, cause);
    this.#ending.abort(ended);
    this.#controller.abort(ended);
  }

  #untilDeadline(): number {
    return this.#renewedAt + this.#options.renewDeadline - this.#options.clock.monotonic();
  }

  #awaitDeadline(): void {
    const left = this.#untilDeadline();
    if (left <= 0) return this.end('deadline');
    this.#cancelTimer = this.#options.clock.after(left, () => this.#awaitDeadline());
  }
}
