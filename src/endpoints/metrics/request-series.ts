import {
  type Counter,
  type CounterFamily,
  type Gauge,
  type GaugeFamily,
  type Histogram,
  type HistogramFamily,
  exponentialBuckets,
} from '../../telemetry/metrics/metric-family.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';

/** The labels of a request, without the status code. */
export interface RequestLabels {
  readonly verb: string;
  readonly dryRun: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
  readonly component: string;
}

const PLACE = ['group', 'version', 'resource', 'subresource', 'scope', 'component'];
const SLI_BUCKETS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

/** Upstream's request metrics, with its names, labels and buckets (apiserver endpoints/metrics/metrics.go). */
export class RequestFamilies {
  readonly total: CounterFamily;
  readonly duration: HistogramFamily;
  readonly sli: HistogramFamily;
  readonly sizes: HistogramFamily;
  readonly longRunning: GaugeFamily;
  readonly terminations: CounterFamily;
  readonly aborts: CounterFamily;

  constructor(registry: MetricRegistry) {
    this.total = registry.counter({
      name: 'apiserver_request_total',
      help: 'Requests that reached their handler, by request attributes and status code.',
      labels: ['verb', 'dry_run', ...PLACE, 'code'],
    });
    this.duration = registry.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Request duration, including watches.',
      labels: ['verb', 'dry_run', ...PLACE],
      buckets: [0.005, 0.025, ...SLI_BUCKETS],
    });
    this.sli = registry.histogram({
      name: 'apiserver_request_sli_duration_seconds',
      help: 'Request duration without watches, dry runs and time in queues.',
      labels: ['verb', ...PLACE],
      buckets: SLI_BUCKETS,
    });
    this.sizes = registry.histogram({
      name: 'apiserver_response_sizes',
      help: 'Size of responses to reads in bytes.',
      labels: ['verb', ...PLACE],
      buckets: exponentialBuckets(1000, 10, 7),
    });
    this.longRunning = registry.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Open watches.',
      labels: ['verb', ...PLACE],
    });
    this.terminations = registry.counter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests that the server terminated to protect itself, for example at their deadline.',
      labels: ['verb', ...PLACE, 'code'],
    });
    this.aborts = registry.counter({
      name: 'apiserver_request_aborts_total',
      help: 'Requests that ended without a response, mostly because the client disconnected.',
      labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope'],
    });
  }
}

/** The series of all requests with the same labels. Created by the first of them, so that counting a further one takes a few additions. */
export class RequestSeries {
  readonly #families: RequestFamilies;
  readonly #labels: RequestLabels;
  readonly #codes: Counter[] = [];
  readonly #duration: Histogram;
  readonly #sli: Histogram | undefined;
  readonly #sizes: Histogram | undefined;
  readonly #longRunning: Gauge | undefined;

  constructor(families: RequestFamilies, labels: RequestLabels) {
    this.#families = families;
    this.#labels = labels;
    const { verb, dryRun } = labels;
    const place = this.#place;
    this.#duration = families.duration.with(verb, dryRun, ...place);
    if (verb !== 'WATCH' && dryRun === '') this.#sli = families.sli.with(verb, ...place);
    if (verb === 'GET' || verb === 'LIST' || verb === 'WATCH') this.#sizes = families.sizes.with(verb, ...place);
    if (verb === 'WATCH') this.#longRunning = families.longRunning.with(verb, ...place);
  }

  /** Whether requests of this kind are long-running. */
  get isLongRunning(): boolean {
    return this.#longRunning !== undefined;
  }

  /** Whether requests of this kind may change something. */
  get isMutating(): boolean {
    return this.#sizes === undefined;
  }

  begin(): void {
    this.#longRunning?.inc();
  }

  /** Counts the response. The indicator of the service level leaves out requests that `waits` for what other clients do. */
  answered(code: number, seconds: number, bytes: number, waits: boolean): void {
    (this.#codes[code] ?? this.#counterOf(code)).inc();
    this.#duration.observe(seconds);
    if (!waits) this.#sli?.observe(seconds);
    this.#sizes?.observe(bytes);
  }

  end(): void {
    this.#longRunning?.dec();
  }

  /** Counts a request that the server terminated, for example at its deadline. */
  terminated(code: number): void {
    this.#families.terminations.with(this.#labels.verb, ...this.#place, String(code)).inc();
  }

  /** Counts a request without a response. */
  aborted(): void {
    const { verb, group, version, resource, subresource, scope } = this.#labels;
    this.#families.aborts.with(verb, group, version, resource, subresource, scope).inc();
  }

  get #place(): [string, string, string, string, string, string] {
    const { group, version, resource, subresource, scope, component } = this.#labels;
    return [group, version, resource, subresource, scope, component];
  }

  #counterOf(code: number): Counter {
    const { verb, dryRun } = this.#labels;
    return (this.#codes[code] = this.#families.total.with(verb, dryRun, ...this.#place, String(code)));
  }
}

const WINDOW_MS = 1000;

/** The highest number of concurrent requests during the last full second (apiserver server/filters/maxinflight.go). */
export class InFlight {
  #now = 0;
  #window = 0;
  #max = 0;
  #maxBefore = 0;

  /** `now` is in milliseconds of a monotonic clock. */
  enter(now: number): void {
    this.#turn(now);
    this.#now += 1;
    if (this.#now > this.#max) this.#max = this.#now;
  }

  leave(now: number): void {
    this.#turn(now);
    this.#now -= 1;
  }

  most(now: number): number {
    this.#turn(now);
    return Math.max(this.#maxBefore, this.#now);
  }

  #turn(now: number): void {
    const window = Math.floor(now / WINDOW_MS);
    if (window === this.#window) return;
    this.#maxBefore = window === this.#window + 1 ? this.#max : this.#now;
    this.#max = this.#now;
    this.#window = window;
  }
}

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
