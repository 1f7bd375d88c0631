import type { MetricShape } from './metric-shapes.js';

type Shapes = ReadonlyMap<string, MetricShape>;

/** The differences between the metrics that both servers have: types, names of labels, and buckets as they are written. */
export function undeclaredMetrics(upstream: Shapes, ours: Shapes): string[] {
  return [...upstream].flatMap(([name, theirs]) => {
    const own = ours.get(name);
    if (!own) return [];
    return [
      ...different(name, 'type', theirs.type, own.type),
      ...different(name, 'labels', listed(theirs.labels), listed(own.labels)),
      ...different(name, 'buckets', listed(theirs.buckets), listed(own.buckets)),
    ];
  });
}

/** A metric without a series yet has neither labels nor buckets to compare. */
function different(name: string, what: string, upstream: string, ours: string): string[] {
  return upstream === ours || upstream === '' || ours === '' ? [] : [`${name}: ${what} ${upstream} upstream, ${ours} here`];
}

function listed(texts: ReadonlySet<string>): string {
  return [...texts].sort().join(' ');
}
