import type { Scheduler } from '../../../time/scheduler.js';
import { StorageError } from '../../storage-errors.js';

/** Readers that wait for the same query. */
export interface Gate {
  open(): void;
  fail(error: Error): void;
}

interface WaitingGate {
  readonly gate: Gate;
  readonly passed: Promise<void>;
}

/**
 * Consistent reads: a reader may proceed once the cache has applied the result of a query that was sent after the reader arrived. Readers
 * gather behind one gate until a query is about to be sent (`take`); later ones gather behind the next. A gate whose query failed waits for
 * the next one (`giveBack`) until its readers time out.
 */
export class ReadBarrier {
  readonly #scheduler: Scheduler;
  readonly #timeoutMs: number;
  readonly #request: () => void;
  #next: WaitingGate | undefined;
  #stalled: Gate[] = [];
  #lastError: unknown;
  #closed = false;

  /** `request` asks for a query to be sent as soon as possible. */
  constructor(scheduler: Scheduler, timeoutMs: number, request: () => void) {
    this.#scheduler = scheduler;
    this.#timeoutMs = timeoutMs;
    this.#request = request;
  }

  /** Resolves once the cache contains everything committed before this call. StorageError Unavailable if that takes too long. */
  pass(): Promise<void> {
    if (this.#closed) return Promise.reject(closedError());
    if (!this.#next) {
      this.#next = this.#newGate();
      this.#request();
    }
    return this.#next.passed;
  }

  /** All readers that may proceed with the result of a query sent right after this call. */
  take(): Gate[] {
    const gates = this.#stalled;
    if (this.#next) gates.push(this.#next.gate);
    this.#stalled = [];
    this.#next = undefined;
    return gates;
  }

  /** Makes gates whose query failed wait for the next one. `error` becomes the cause if their readers time out. */
  giveBack(gates: readonly Gate[], error: unknown): void {
    this.#lastError = error;
    this.#stalled.push(...gates);
    if (this.#closed) this.close();
  }

  /** Rejects all waiting readers, and all that come later. */
  close(): void {
    this.#closed = true;
    for (const gate of this.take()) gate.fail(closedError());
  }

  #newGate(): WaitingGate {
    let resolve!: () => void;
    let reject!: (error: Error) => void;
    const passed = new Promise<void>((onOpen, onFail) => {
      resolve = onOpen;
      reject = onFail;
    });
    const cancel = this.#scheduler.after(this.#timeoutMs, () => {
      this.#stalled = this.#stalled.filter((stalled) => stalled !== gate);
      if (this.#next?.gate === gate) this.#next = undefined;
      reject(new StorageError('Unavailable', 'the database did not answer in time', { cause: this.#lastError }));
    });
    const gate: Gate = {
      open: () => {
        cancel();
        resolve();
      },
      fail: (error) => {
        cancel();
        reject(error);
      },
    };
    return { gate, passed };
  }
}

/** The error of every read of a closed store. */
export function closedError(): StorageError {
  return new StorageError('Unavailable', 'the store is closed');
}
