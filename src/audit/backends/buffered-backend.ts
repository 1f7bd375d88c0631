import { setTimeout } from 'node:timers/promises';
import type { Scheduler } from '../../storage/scheduler.js';
import type { AuditBackend, AuditFailures } from '../audit-backend.js';
import type { AuditEvent } from '../audit-event.js';
import { TokenBucket } from './token-bucket.js';

export interface BatchOptions {
  /** How many events may wait; more are dropped. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  /** How long an event waits for others to share its batch. */
  readonly maxBatchWaitMs: number;
  /** Batches per second, and how many at once after a pause; absent: no limit. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
  /** How many batches may be on their way at a time. */
  readonly maxSending: number;
}

/** How long a shutdown waits for batches on their way. */
const CLOSE_LIMIT_MS = 10_000;
const CLOSE_POLL_MS = 50;

/**
 * Requests do not wait: events are gathered and handed on in batches (mode `batch`; apiserver plugin/pkg/audit/buffered). When the
 * backend is too slow the newest events are dropped, so that memory has a bound.
 */
export class BufferedBackend implements AuditBackend {
  readonly #backend: AuditBackend;
  readonly #options: BatchOptions;
  readonly #failures: AuditFailures;
  readonly #scheduler: Scheduler;
  readonly #bucket: TokenBucket | undefined;
  readonly #sending = new Set<Promise<unknown>>();
  #queue: AuditEvent[] = [];
  /** Calls off the wake-up that sends what is there. */
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

  /** Sends full batches, and what is there once it has waited long enough. */
  #send(): void {
    const { maxBatchSize, maxSending } = this.#options;
    while (this.#sending.size < maxSending && this.#queue.length > 0 && (this.#due || this.#queue.length >= maxBatchSize)) {
      const wait = this.#bucket?.take() ?? 0;
      if (wait > 0) {
        this.#cancelWait?.();
        this.#cancelWait = undefined;
        return this.#wakeAfter(wait);
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
