import type { CounterFamily } from '../../telemetry/metrics/counter.js';
import { type HistogramFamily, exponentialBuckets } from '../../telemetry/metrics/histogram.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';

/** Counts the frames sent to the watches of one resource and version. */
export type CountFrames = (frames: readonly Buffer[]) => void;

/** Upstream's metrics of watch events, bookmarks included. */
export class WatchMetrics {
  readonly #events: CounterFamily;
  readonly #sizes: HistogramFamily;

  constructor(registry: MetricRegistry) {
    const labels = ['group', 'version', 'resource'];
    this.#events = registry.counter({ name: 'apiserver_watch_events_total', help: 'Events sent to watches.', labels });
    this.#sizes = registry.histogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Size of events sent to watches in bytes.',
      labels,
      buckets: exponentialBuckets(1024, 2, 8),
    });
  }

  of(group: string, version: string, resource: string): CountFrames {
    const events = this.#events.with(group, version, resource);
    const sizes = this.#sizes.with(group, version, resource);
    return (frames) => {
      events.inc(frames.length);
      for (const { length } of frames) sizes.observe(length);
    };
  }
}
