/** One sample of the Prometheus text format. */
interface Sample {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** Samples by name; those of histograms end in `_sum`, `_count` and `_bucket`. */
export type Metrics = ReadonlyMap<string, readonly Sample[]>;

// The expression never backtracks: each part is followed by a character that it cannot contain.
// eslint-disable-next-line security/detect-unsafe-regex
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Lines that do not match the format are skipped. */
export function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue;
    const [, name, labels = '', number] = LINE.exec(line) ?? [];
    if (name === undefined || number === undefined) continue;
    const sample = { labels: new Map([...labels.matchAll(LABEL)].map(([, key = '', value = '']) => [key, value])), value: Number(number) };
    const samples = metrics.get(name);
    if (samples) samples.push(sample);
    else metrics.set(name, [sample]);
  }
  return metrics;
}

/** The sum of a metric's samples that have these labels; undefined if there are none. */
export function sumOf(metrics: Metrics, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const wanted = Object.entries(labels);
  const samples = metrics.get(name)?.filter((sample) => wanted.every(([key, value]) => sample.labels.get(key) === value));
  return samples?.length ? samples.reduce((sum, { value }) => sum + value, 0) : undefined;
}

/** The mean of a histogram between two readings, or since the server's start if nothing was observed in between. */
export function meanOf(metrics: Metrics, before: Metrics | undefined, name: string): number | undefined {
  const [sum, count] = [sumOf(metrics, `${name}_sum`), sumOf(metrics, `${name}_count`)];
  if (sum === undefined || !count) return undefined;
  const [oldSum = 0, oldCount = 0] = before ? [sumOf(before, `${name}_sum`), sumOf(before, `${name}_count`)] : [];
  return count > oldCount && oldSum <= sum ? (sum - oldSum) / (count - oldCount) : sum / count;
}

export interface Gauge {
  readonly name: string;
  readonly value: string;
  readonly meaning: string;
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
const mean = (value: number): string => value.toFixed(1);
const milliseconds = (seconds: number): string => `${(seconds * 1000).toFixed(seconds < 0.1 ? 1 : 0)} ms`;
const size = (bytes: number): string => (bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / 1024 / 1024)} MiB`);

/** The server's health by its metrics; metrics that another kind of server lacks are left out. */
export function readGauges(metrics: Metrics, before: Metrics | undefined): Gauge[] {
  const watches = sumOf(metrics, 'apiserver_longrunning_requests', { verb: 'WATCH' });
  const gauges: readonly (readonly [name: string, value: number | undefined, show: (value: number) => string, meaning: string])[] = [
    ['Watches', watches, count, 'open'],
    ['Connections', sumOf(metrics, 'coordination_connections'), count, 'open'],
    ['Commit', meanOf(metrics, before, 'coordination_commit_duration_seconds'), milliseconds, 'mean time of a batch'],
    ['Batch', meanOf(metrics, before, 'coordination_batch_writes'), mean, 'mean writes in a commit'],
    ['Queued writes', sumOf(metrics, 'coordination_queued_writes'), count, 'wait for their batch'],
    ['Feed lag', sumOf(metrics, 'coordination_feed_lag_seconds'), milliseconds, 'since the last read'],
    ['Revision', sumOf(metrics, 'coordination_cache_revision'), count, 'of the cache'],
    ['Leases', sumOf(metrics, 'apiserver_resource_objects', { group: 'coordination.k8s.io', resource: 'leases' }), count, 'stored'],
    ['Objects', sumOf(metrics, 'coordination_cache_bytes'), size, 'of all current objects'],
    ['Memory', sumOf(metrics, 'process_resident_memory_bytes'), size, 'of the process'],
  ];
  return gauges.flatMap(([name, value, show, meaning]) => (value === undefined ? [] : [{ name, value: show(value), meaning }]));
}

export interface HealthLine {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The checks of `/readyz?verbose`: `[+]ping ok`, `[-]database failed: reason withheld`. */
export function parseHealth(text: string): HealthLine[] {
  return text.split('\n').flatMap((line) => {
    const [, sign, check, detail] = /^\[([+-])\]([\w./-]+) ?(.*)$/.exec(line) ?? [];
    return check === undefined ? [] : [{ check, ok: sign === '+', detail: detail ?? '' }];
  });
}
