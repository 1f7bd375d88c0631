import { setTimeout } from 'node:timers/promises';
import type { Scheduler } from '../../time/scheduler.js';
import type { AuditBackend, AuditFailures } from './audit-backend.js';
import type { AuditEvent } from '../event/audit-event.js';
import { TokenBucket } from '../../time/token-bucket.js';

export interface BatchOptions {
  /** Maximum number of waiting events; further ones are dropped. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  /** How long an event waits for others to share its batch. */
  readonly maxBatchWaitMs: number;
  /** Batches per second and burst; absent: unlimited. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
  /** Maximum number of concurrent batches. */
  readonly maxSending: number;
}

/** How long shutdown waits for batches in flight. */
const CLOSE_LIMIT_MS = 10_000;
const CLOSE_POLL_MS = 50;

/**
 * Collects events into batches so that requests do not wait (mode `batch`; apiserver plugin/pkg/audit/buffered). If the backend is too
 * slow, new events are dropped, which bounds memory.
 */
export class BufferedBackend implements AuditBackend {
  readonly #backend: AuditBackend;
  readonly #options: BatchOptions;
  readonly #failures: AuditFailures;
  readonly #scheduler: Scheduler;
  readonly #bucket: TokenBucket | undefined;
  readonly #sending = new Set<Promise<unknown>>();
  #queue: AuditEvent[] = [];
  /** Cancels the timer that sends a partial batch. */
  #cancelWait: (() => void) | undefined;
  #due = false;
  #closing = false;

  constructor(backend: AuditBackend, options: BatchOptions, failures: AuditFailures, scheduler: Scheduler) {
    this.#backend = backend;
    this.#options = options;
    this.#failures = failures;
    this.#scheduler = scheduler;
    this.#bucket = options.throttle && new TokenBucket(options.throttle, () => scheduler.now());
  }

  process(events: readonly AuditEvent[]): boolean {
    const room = this.#closing ? 0 : Math.max(0, this.#options.bufferSize - this.#queue.length);
    for (const event of events.slice(0, room)) this.#queue.push(event);
    if (events.length > room) {
      const reason = this.#closing ? 'audit backend shut down' : 'audit buffer queue blocked';
      this.#failures.failed('buffered', reason, events.slice(room));
    }
    this.#send();
    return true;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const end = performance.now() + CLOSE_LIMIT_MS;
    while (performance.now() < end) {
      this.#due = true;
      this.#send();
      if (this.#queue.length === 0 && this.#sending.size === 0) break;
      await Promise.race([...this.#sending, setTimeout(CLOSE_POLL_MS)]);
    }
    this.#cancelWait?.();
    if (this.#queue.length > 0) this.#failures.failed('buffered', 'audit backend shut down', this.#queue);
    await this.#backend.close();
  }

  /** Sends full batches, and a partial one once it has waited long enough. */
  #send(): void {
    const { maxBatchSize, maxSending } = this.#options;
    while (this.#sending.size < maxSending && this.#queue.length > 0 && (this.#due || this.#queue.length >= maxBatchSize)) {
      if (this.#bucket?.take() === false) {
        this.#cancelWait?.();
        this.#cancelWait = undefined;
        return this.#wakeAfter(this.#bucket.refillMs);
      }
      this.#hand(this.#queue.slice(0, maxBatchSize));
      this.#queue = this.#queue.slice(maxBatchSize);
      this.#cancelWait?.();
      this.#cancelWait = undefined;
      if (this.#queue.length === 0) this.#due = false;
    }
    if (this.#queue.length > 0 && !this.#due) this.#wakeAfter(this.#options.maxBatchWaitMs);
  }

  #wakeAfter(ms: number): void {
    this.#cancelWait ??= this.#scheduler.after(ms, () => {
      this.#cancelWait = undefined;
      this.#due = true;
      this.#send();
    });
  }

  #hand(batch: readonly AuditEvent[]): void {
    const result = this.#backend.process(batch);
    if (!(result instanceof Promise)) return;
    this.#sending.add(result);
    void result.then(() => {
      this.#sending.delete(result);
      this.#send();
    });
  }
}
