import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { RequestContext } from '../../registry/resource/request-context.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import type { StoredObject } from '../../storage/object-store.js';
import { type CounterFamily, type GaugeFamily, type HistogramFamily, exponentialBuckets } from '../../telemetry/metrics/metric-family.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { Scheduler } from '../../time/scheduler.js';

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

/** Receives a queue's events. Times in milliseconds. */
interface QueueObserver {
  added(): void;
  retried(): void;
  /** Work on an item starts, `waitedMs` after it was due. */
  begun(waitedMs: number): void;
  ended(tookMs: number): void;
  /** The number of waiting items changed. */
  depth(count: number): void;
}

/** Returns the observer for a named queue. */
export type ObserveQueue = (name: string) => QueueObserver;

/** Metrics of controller queues under upstream's names (component-base metrics/prometheus/workqueue). */
export class QueueMetrics {
  readonly #adds: CounterFamily;
  readonly #retries: CounterFamily;
  readonly #depth: GaugeFamily;
  readonly #wait: HistogramFamily;
  readonly #work: HistogramFamily;
  /** Start times of running work, by queue. */
  readonly #running = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(registry: MetricRegistry, now: () => number) {
    const labels = ['name'];
    const buckets = exponentialBuckets(1e-8, 10, 10);
    this.#now = now;
    this.#adds = registry.counter({ name: 'workqueue_adds_total', help: 'Items added to a queue.', labels });
    this.#retries = registry.counter({ name: 'workqueue_retries_total', help: 'Items added again after a failure.', labels });
    this.#depth = registry.gauge({ name: 'workqueue_depth', help: 'Items waiting in a queue.', labels });
    this.#wait = registry.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long items waited in a queue.',
      labels,
      buckets,
    });
    this.#work = registry.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long processing an item took.',
      labels,
      buckets,
    });
    registry.gauge(
      { name: 'workqueue_unfinished_work_seconds', help: 'How long the items in progress have been processed so far, in total.', labels },
      (gauge) => this.#sample(gauge, (ages) => ages.reduce((sum, age) => sum + age, 0)),
    );
    registry.gauge(
      {
        name: 'workqueue_longest_running_processor_seconds',
        help: 'How long the longest-running item in progress has been processed so far.',
        labels,
      },
      (gauge) => this.#sample(gauge, (ages) => Math.max(0, ...ages)),
    );
  }

  readonly observe: ObserveQueue = (name) => {
    const [adds, retries, depth] = [this.#adds.with(name), this.#retries.with(name), this.#depth.with(name)];
    const [wait, work] = [this.#wait.with(name), this.#work.with(name)];
    const running: number[] = [];
    this.#running.set(name, running);
    return {
      added: () => adds.inc(),
      retried: () => retries.inc(),
      begun: (waitedMs) => {
        wait.observe(waitedMs / 1000);
        running.push(this.#now());
      },
      ended: (tookMs) => {
        work.observe(tookMs / 1000);
        // The queue does not say which run ended; the oldest is assumed.
        running.shift();
      },
      depth: (count) => depth.set(count),
    };
  };

  #sample(gauge: GaugeFamily, read: (ages: readonly number[]) => number): void {
    const now = this.#now();
    for (const [name, running] of this.#running) gauge.with(name).set(read(running.map((begun) => (now - begun) / 1000)));
  }
}

/** Whether a write took effect: false if somebody was faster, so that the object is gone, or is no longer the one that was judged. */
export async function tookEffect(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 409)) return false;
    throw error;
  }
}

/** Deletes only the state that was judged, so an object that is renewed just then stays. Answers whether it was deleted. */
export function deleteState(context: RequestContext, store: ResourceStore, { key, uid, revision }: StoredObject): Promise<boolean> {
  const target = { version: store.definition.storageVersion, namespace: key.namespace, name: key.name };
  return tookEffect(store.delete(context, target, { dryRun: false, uid, resourceVersion: String(revision) }));
}
