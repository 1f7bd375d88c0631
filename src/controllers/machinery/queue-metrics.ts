import type { CounterFamily } from '../../telemetry/metrics/counter.js';
import type { GaugeFamily } from '../../telemetry/metrics/gauge.js';
import { type HistogramFamily, exponentialBuckets } from '../../telemetry/metrics/histogram.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';

/** Receives a queue's events. Times in milliseconds. */
export interface QueueObserver {
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
