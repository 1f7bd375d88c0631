import type { Clock } from '../../kube-client/src/clock.js';

/**
 * Why a term ended. `aborted` and `resigned`: the holder ended it. `deadline`: not renewed in time. `taken`, `missing`: the lease
 * names another holder, or is gone. `end-of-term`: the election controller prefers another. `failed`: the work rejected.
 */
export type TermEnd = 'aborted' | 'resigned' | 'deadline' | 'taken' | 'missing' | 'end-of-term' | 'failed';

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
  #renewedAt: number;
  #cancelTimer: () => void = () => undefined;

  constructor(options: TermOptions, acquiredAt: number) {
    this.identity = options.identity;
    this.fencingToken = options.fencingToken;
    this.#options = options;
    this.#renewedAt = acquiredAt;
    this.#awaitDeadline();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
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

  /** Records a successful renewal whose request was sent at this moment. One that comes too late changes nothing. */
  renewed(at: number): void {
    if (!this.isValid()) return;
    this.#renewedAt = at;
  }

  /** Ends the term; only the first call has an effect. */
  end(why: TermEnd, cause?: unknown): void {
    if (this.signal.aborted) return;
    this.#cancelTimer();
    this.#controller.abort(new TermEndedError(why, cause));
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
