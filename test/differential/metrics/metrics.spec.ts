import { readShapes } from './metric-shapes.js';
import { undeclaredMetrics } from './undeclared-metrics.js';

const histogram = (bounds: readonly string[], labels = 'verb="GET"') =>
  ['# TYPE seconds histogram', ...bounds.map((le) => `seconds_bucket{${labels},le="${le}"} 1`), `seconds_sum{${labels}} 1`].join('\n');

test('a metric is known by its type, the labels of its series and its buckets', () => {
  const shapes = readShapes(`# TYPE up gauge\nup 1\n${histogram(['1', '+Inf'], 'b="x,y=\\"z\\"",a=""')}\n`);
  expect(shapes.get('up')).toEqual({ type: 'gauge', labels: new Set(['']), buckets: new Set() });
  expect(shapes.get('seconds')).toEqual({ type: 'histogram', labels: new Set(['a,b']), buckets: new Set(['1', '+Inf']) });
});

test('only metrics that both servers have are compared, bounds as they are written', () => {
  const upstream = readShapes(`${histogram(['1e+06', '+Inf'])}\n# TYPE go_threads gauge\ngo_threads 1\n`);
  expect(undeclaredMetrics(upstream, readShapes(histogram(['1e+06', '+Inf'])))).toEqual([]);
  expect(undeclaredMetrics(upstream, readShapes(histogram(['1000000', '+Inf'])))).toEqual([
    'seconds: buckets +Inf 1e+06 upstream, +Inf 1000000 here',
  ]);
  expect(undeclaredMetrics(upstream, readShapes(histogram(['1e+06', '+Inf'], 'method="GET"')))).toEqual([
    'seconds: labels verb upstream, method here',
  ]);
  expect(undeclaredMetrics(upstream, readShapes('# TYPE seconds histogram\n'))).toEqual([]);
});
