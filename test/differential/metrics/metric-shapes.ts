import { send } from '../servers/prepare-server.js';

/** What a metric looks like, whatever its values are. */
export interface MetricShape {
  readonly type: string;
  /** The names of the labels of its series, sorted; several if series differ. */
  readonly labels: ReadonlySet<string>;
  /** The values of `le`, as written. */
  readonly buckets: ReadonlySet<string>;
}

const ADMIN = { authorization: 'Bearer differential-admin' };
const TYPE = /^# TYPE (\S+) (\S+)/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Reads /metrics. */
export async function metricShapes(url: string): Promise<Map<string, MetricShape>> {
  const { status, text } = await send(url, '/metrics', { headers: ADMIN });
  if (status !== 200) throw new Error(`${url}/metrics answered ${status}`);
  return readShapes(text);
}

/** The metrics of an exposition in Prometheus' text format. */
export function readShapes(text: string): Map<string, MetricShape> {
  const shapes = new Map<string, { type: string; labels: Set<string>; buckets: Set<string> }>();
  for (const line of text.split('\n')) {
    const [, typed, type = ''] = TYPE.exec(line) ?? [];
    if (typed !== undefined) shapes.set(typed, { type, labels: new Set(), buckets: new Set() });
    const [, sample = '', list = ''] = SAMPLE.exec(line) ?? [];
    const shape = shapes.get(sample) ?? shapes.get(sample.replace(/_(?:bucket|sum|count)$/, ''));
    if (!shape || line.startsWith('#')) continue;
    const labels = [...list.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value] as const);
    for (const [name, value] of labels) if (name === 'le') shape.buckets.add(value);
    shape.labels.add(
      labels
        .map(([name]) => name)
        .filter((name) => name !== 'le')
        .sort()
        .join(','),
    );
  }
  return shapes;
}
