import { exponentialBuckets } from './metric-family.js';
import { MetricRegistry } from './metric-registry.js';

test('a series is exported from its first use, and counts without its labels', async () => {
  const registry = new MetricRegistry();
  const requests = registry.counter({ name: 'requests_total', help: 'All of them.', labels: ['verb', 'code'] });
  const puts = requests.with('PUT', '200');
  puts.inc();
  puts.inc(2);
  requests.with('GET', 'a"\\\n');
  expect(await registry.text()).toBe(
    '# HELP requests_total All of them.\n# TYPE requests_total counter\n' +
      'requests_total{verb="PUT",code="200"} 3\nrequests_total{verb="GET",code="a\\"\\\\\\n"} 0\n',
  );
  expect(requests.with('PUT', '200')).toBe(puts);
});

test('the buckets of a histogram are cumulative, and a value equal to a bound belongs to that bucket', async () => {
  const registry = new MetricRegistry();
  const seconds = registry.histogram({ name: 'seconds', help: 'Time.', buckets: [0.1, 1] }).with();
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(value);
  const lines = (await registry.text()).split('\n').slice(2, 7);
  expect(lines).toEqual([
    'seconds_bucket{le="0.1"} 2',
    'seconds_bucket{le="1"} 3',
    'seconds_bucket{le="+Inf"} 4',
    'seconds_sum 7.65',
    'seconds_count 4',
  ]);
});

test('a gauge can be updated when it is read', async () => {
  const registry = new MetricRegistry();
  let size = 1;
  registry.gauge({ name: 'size', help: 'Size.', labels: ['of'] }, (gauge) => gauge.with('x').set(size));
  expect(await registry.text()).toContain('size{of="x"} 1\n');
  size = 5;
  expect(await registry.text()).toContain('size{of="x"} 5\n');
});

test('a wrong number of labels and a duplicate name are refused', () => {
  const registry = new MetricRegistry();
  const gauge = registry.gauge({ name: 'a', help: 'A.', labels: ['x'] });
  expect(() => gauge.with()).toThrow('a has 1 labels, not 0');
  expect(() => registry.counter({ name: 'a', help: 'A.' })).toThrow('already been registered');
});

test('bounds from a million on have an exponent, as Go writes them', async () => {
  const registry = new MetricRegistry();
  registry.histogram({ name: 'bytes', help: 'Size.', buckets: [1000, 100_000, 1_000_000, 2_500_000, 1e10] }).with();
  const bounds = [...(await registry.text()).matchAll(/le="([^"]+)"/g)].map(([, bound]) => bound);
  expect(bounds).toEqual(['1000', '100000', '1e+06', '2.5e+06', '1e+10', '+Inf']);
});

test('exponential buckets multiply', () => {
  expect(exponentialBuckets(1000, 10, 3)).toEqual([1000, 10_000, 100_000]);
});

test('several processes are exported as one server, with a label for the process of each series', async () => {
  const other = new MetricRegistry({ labels: { worker: '2' }, others: () => Promise.resolve([]) });
  other.counter({ name: 'b_total', help: 'B.' }).with().inc(5);
  other.gauge({ name: 'only_there', help: 'Only there.' }).with().set(1);
  const registry = new MetricRegistry({ labels: { worker: '1' }, others: () => other.own() });
  registry.counter({ name: 'b_total', help: 'B.' }).with().inc();
  registry.counter({ name: 'a_total', help: 'A.', labels: ['x'] }).with('y');
  expect(await registry.text()).toBe(
    [
      '# HELP a_total A.\n# TYPE a_total counter\na_total{x="y",worker="1"} 0',
      '# HELP b_total B.\n# TYPE b_total counter\nb_total{worker="1"} 1\nb_total{worker="2"} 5',
      '# HELP only_there Only there.\n# TYPE only_there gauge\nonly_there{worker="2"} 1\n',
    ].join('\n'),
  );
});
