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
