import type { Logger } from 'pino';
import type { Scheduler } from '../../time/scheduler.js';
import type { ObserveQueue, QueueObserver } from './queue-metrics.js';

/** Processes an item. Resolves with the milliseconds after which to process it again, or undefined when it is done. */
export type HandleItem<T> = (item: T) => Promise<number | undefined>;

export interface RetryQueueOptions<T> {
  readonly handle: HandleItem<T>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly observer?: QueueObserver | undefined;
}

/** What a controller with a queue needs. */
export interface QueueServices {
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly observeQueue?: ObserveQueue;
}

interface Entry<T> {
  item: T;
  failures: number;
  running: boolean;
  /** When the next run is due. */
  due: number;
  /** Added again while it was running. */
  again: boolean;
  cancel?: () => void;
}

/**
 * A work queue by key (upstream: client-go util/workqueue). Each key has one run at a time, and another one if it is added during a run.
 * Failures are retried with growing delays. Different keys run concurrently.
 */
export class RetryQueue<T> {
  readonly #options: RetryQueueOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: RetryQueueOptions<T>) {
    this.#options = options;
  }

  /** Queues the item to run now, even if it waits for a retry. */
  add(key: string, item: T): void {
    if (this.#stopped) return;
    const entry = this.#entries.get(key) ?? { item, failures: 0, running: false, due: 0, again: false };
    entry.item = item;
    this.#options.observer?.added();
    this.#entries.set(key, entry);
    if (entry.running) entry.again = true;
    else this.#schedule(key, entry, 0);
    this.#tellDepth();
  }

  /** Starts no more runs, and resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const entry of this.#entries.values()) entry.cancel?.();
    await Promise.all(this.#running);
  }

  #schedule(key: string, entry: Entry<T>, delay: number): void {
    entry.cancel?.();
    entry.due = this.#options.scheduler.now() + delay;
    entry.cancel = this.#options.scheduler.after(delay, () => {
      const run = this.#run(key, entry).finally(() => this.#running.delete(run));
      this.#running.add(run);
    });
  }

  async #run(key: string, entry: Entry<T>): Promise<void> {
    const { scheduler, observer } = this.#options;
    const begun = scheduler.now();
    entry.running = true;
    entry.again = false;
    observer?.begun(Math.max(0, begun - entry.due));
    const delay = await this.#attempt(key, entry);
    entry.running = false;
    observer?.ended(scheduler.now() - begun);
    if (this.#stopped) return;
    if (entry.again) this.#schedule(key, entry, 0);
    else if (delay !== undefined) this.#schedule(key, entry, delay);
    else this.#entries.delete(key);
    this.#tellDepth();
  }

  /** Counts due items only, as upstream does; those scheduled for later are left out. */
  #tellDepth(): void {
    const { observer, scheduler } = this.#options;
    if (!observer) return;
    const now = scheduler.now();
    let waiting = 0;
    for (const { running, due } of this.#entries.values()) if (!running && due <= now) waiting += 1;
    observer.depth(waiting);
  }

  async #attempt(key: string, entry: Entry<T>): Promise<number | undefined> {
    try {
      const delay = await this.#options.handle(entry.item);
      entry.failures = 0;
      return delay;
    } catch (error) {
      this.#options.observer?.retried();
      const delay = retryDelay(entry.failures++);
      if (!this.#stopped) this.#options.logger.error({ err: error, key, retryInMs: delay }, 'controller failed');
      return delay;
    }
  }
}

/** The queue of a named controller. */
export function queueOf<T>(name: string, { scheduler, logger, observeQueue }: QueueServices, handle: HandleItem<T>): RetryQueue<T> {
  return new RetryQueue({ handle, scheduler, logger, observer: observeQueue?.(name) });
}

/** Milliseconds until the next try of a controller, after so many failures in a row. */
export function retryDelay(failures: number): number {
  return Math.min(30_000, 250 * 2 ** failures);
}
