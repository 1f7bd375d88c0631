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
