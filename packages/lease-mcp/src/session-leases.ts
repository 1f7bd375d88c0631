import { acquireLock } from '../../lease-lock/src/acquisition.js';
import type { Lock } from '../../lease-lock/src/held-lock.js';
import { LockError } from '../../lease-lock/src/lock-options.js';
import type { LeaseSource } from './lease-source.js';

/** An agent that takes leases in a loop is stopped here. */
const MAX_LEASES = 100;
/** Whoever died is waited for until its lease has expired, though not for longer than this beyond the wait. */
const PATIENCE_MS = 5_000;

export interface SessionLeasesOptions {
  readonly source: () => Promise<LeaseSource>;
  readonly holder: () => string;
  /** Called for a lease that is lost while the session holds it. */
  readonly onLost: (why: string) => void;
}

export interface Taking {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly durationMs: number;
  readonly waitMs: number;
  /** The request is cancelled. */
  readonly signal: AbortSignal;
}

/** What a session holds. Everything that it says of a lease is by the monotonic clock. */
export class SessionLeases {
  readonly #options: SessionLeasesOptions;
  /** By namespace and name; undefined while it is being taken. Lost ones remain until they are released or taken again. */
  readonly #locks = new Map<string, Lock | undefined>();
  /** What failed last of the requests of a lock that goes on by itself. */
  readonly #failures = new Map<string, LockError>();
  readonly #takings = new Set<Promise<Lock>>();
  readonly #closed = new AbortController();

  constructor(options: SessionLeasesOptions) {
    this.#options = options;
  }

  /** Rejects with a LockError. A lease that the session holds already is not taken twice. */
  async take({ name, namespace, durationMs, waitMs, signal }: Taking): Promise<Lock> {
    const { backend } = await this.#options.source();
    const key = keyOf(name, namespace ?? backend.namespace);
    const held = this.#locks.get(key);
    if (held?.isHeld()) return held;
    if (this.#locks.has(key) && !held) throw new LockError('invalid', `this session is taking the lease ${key} already`);
    if (!held && this.#locks.size >= MAX_LEASES) throw new LockError('invalid', `this session has ${MAX_LEASES} leases: release some`);
    this.#locks.set(key, undefined);
    const taking = this.#acquire({ name, namespace, durationMs, waitMs, signal });
    this.#takings.add(taking);
    try {
      const lock = await taking;
      this.#locks.set(key, lock);
      lock.signal.addEventListener('abort', () => this.#options.onLost((lock.signal.reason as Error).message), { once: true });
      return lock;
    } finally {
      this.#takings.delete(taking);
      if (!this.#locks.get(key)) {
        this.#locks.delete(key);
        this.#failures.delete(key);
      }
    }
  }

  /** Throws a LockError if the session does not hold it, or holds it no longer. */
  async held(name: string, namespace: string | undefined): Promise<Lock> {
    const lock = await this.#find(name, namespace);
    lock.throwIfLost();
    return lock;
  }

  /** Whether it was still held. Rejects with a LockError if it was, and stays taken until its time is over. */
  async release(name: string, namespace: string | undefined): Promise<boolean> {
    const lock = await this.#find(name, namespace);
    const wasHeld = lock.isHeld();
    const key = keyOf(lock.name, lock.namespace);
    this.#locks.delete(key);
    this.#failures.delete(key);
    await lock.release();
    const failure = this.#failures.get(key);
    this.#failures.delete(key);
    if (failure && wasHeld) throw failure;
    return wasHeld;
  }

  /** Frees everything at the end of the session, also what is being taken. */
  async close(): Promise<void> {
    this.#closed.abort(new LockError('not-acquired', 'the session has ended'));
    await Promise.allSettled(this.#takings);
    await Promise.all([...this.#locks.values()].map(async (lock) => lock?.release()));
  }

  async #acquire({ name, namespace, durationMs, waitMs, signal }: Taking): Promise<Lock> {
    const { backend } = await this.#options.source();
    const late = AbortSignal.timeout(waitMs + PATIENCE_MS);
    try {
      return await acquireLock(name, {
        onError: (error) => void (error instanceof LockError && this.#failures.set(keyOf(name, namespace ?? backend.namespace), error)),
        ...{ backend, namespace, duration: durationMs, grace: 0, wait: waitMs, holder: this.#options.holder() },
        signal: AbortSignal.any([signal, late, this.#closed.signal]),
      });
    } catch (error) {
      if (error instanceof LockError || !late.aborted) throw error;
      throw new LockError(
        'not-acquired',
        `the lease ${name} is not free; its holder seems to have crashed: ask again until its time is over`,
      );
    }
  }

  async #find(name: string, namespace: string | undefined): Promise<Lock> {
    const key = keyOf(name, namespace ?? (await this.#options.source()).backend.namespace);
    const lock = this.#locks.get(key);
    if (!lock) throw new LockError('invalid', `this session does not hold the lease ${key}`);
    return lock;
  }
}

function keyOf(name: string, namespace: string): string {
  return `${namespace}/${name}`;
}
