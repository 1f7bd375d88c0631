import { expect, test } from '@jest/globals';
import { meanOf, parseHealth, parseMetrics, sumOf } from './parse-metrics.js';

const TEXT = `# HELP x Things.
# TYPE x gauge
x{a="1",b="quoted \\"}\\" brace"} 2
x{a="2"} 3
plain 4.5e1
h_sum 10
h_count 4
not a metric
`;

test('samples are found by name and labels', () => {
  const metrics = parseMetrics(TEXT);
  expect(sumOf(metrics, 'x')).toBe(5);
  expect(sumOf(metrics, 'x', { a: '2' })).toBe(3);
  expect(sumOf(metrics, 'x', { b: 'quoted \\"}\\" brace' })).toBe(2);
  expect(sumOf(metrics, 'plain')).toBe(45);
  expect(sumOf(metrics, 'constructor')).toBeUndefined();
});

test('means cover the time between two readings', () => {
  const before = parseMetrics(TEXT);
  expect(meanOf(before, undefined, 'h')).toBe(2.5);
  expect(meanOf(parseMetrics('h_sum 30\nh_count 6\n'), before, 'h')).toBe(10);
  // Nothing in between, and a restarted server.
  expect(meanOf(before, before, 'h')).toBe(2.5);
  expect(meanOf(parseMetrics('h_sum 3\nh_count 1\n'), before, 'h')).toBe(3);
});

test('health checks', () => {
  expect(parseHealth('[+]ping ok\n[-]change-feed failed: reason withheld\nreadyz check failed\n')).toEqual([
    { check: 'ping', ok: true, detail: 'ok' },
    { check: 'change-feed', ok: false, detail: 'failed: reason withheld' },
  ]);
});
