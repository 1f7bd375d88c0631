import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { parser } from '@prometheus-io/lezer-promql';
import { parse, stringify } from 'yaml';
import { mustRun } from '../../clients/run-program.js';
import { describeWith, PROMTOOL } from '../../clients/toolchain.js';
import { ask } from '../../support/http-client.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { startServerProcess } from '../../support/server-process.js';

const deploy = path.resolve(import.meta.dirname, '../../../deploy');
const read = (file: string): string => readFileSync(path.join(deploy, file), 'utf8');

let names: Set<string>;
const server = forAllTests(() => startServerProcess());
beforeAll(async () => {
  const { text } = await ask(`${server.url}/metrics`);
  names = new Set(['up', ...[...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type = '']) => seriesOf(name, type))]);
});

function seriesOf(name: string, type: string): string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

/** The metrics in a PromQL expression. Throws if the expression is invalid. */
function metricsIn(expression: string): string[] {
  const text = expression.replaceAll('$__rate_interval', '5m');
  const metrics: string[] = [];
  parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${text}`);
      if (node.type.name === 'VectorSelector') metrics.push(/^[a-zA-Z_:][\w:]*/.exec(text.slice(node.from, node.to))?.[0] ?? '');
    },
  });
  return metrics;
}

interface Board {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

test('every panel of the Grafana dashboard uses metrics that the server exports', () => {
  const { panels } = JSON.parse(read('grafana/coordination-apiserver.json')) as Board;
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(30);
  const unknown = expressions.flatMap(metricsIn).filter((name) => !names.has(name));
  expect(unknown).toEqual([]);
});

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string; readonly annotations: object }[];
  }[];
}

test('every alert uses metrics that the server exports and says what to do', () => {
  const rules = (parse(read('prometheus/alerts.yaml')) as Rules).groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.flatMap(({ expr }) => metricsIn(expr)).filter((name) => !names.has(name))).toEqual([]);
  for (const { annotations } of rules) expect(Object.keys(annotations)).toEqual(['summary', 'description']);
});

/** As Prometheus evaluates them. */
describeWith([PROMTOOL], 'promtool', () => {
  const folder = scratchDirectory();

  test('accepts all alerts', async () => {
    expect((await mustRun('promtool', ['check', 'rules', path.join(deploy, 'prometheus/alerts.yaml')])).trim()).toMatch(/\d+ rules found$/);
  });

  test('fires once a lease was asked for in vain and held by nobody for five minutes, by whichever server, and names the causes', async () => {
    const alertname = 'CoordinationLeaseRefusedAndNotHeld';
    const values = (instance: string, cause: string, series: string) => ({
      series: `coordination_leases_refused_and_not_held{job="coordination-apiserver",instance="${instance}",cause="${cause}"}`,
      values: series,
    });
    const description =
      'Leases by cause: NotAllowed 2; WrongTime 1; `kubectl get refusedrequests -A` says who, why, and what helps (docs/refusals.md).';
    const annotations = { summary: 'Somebody asks for a lease in vain, and nobody holds it.', description };
    const tests = [
      {
        interval: '1m',
        // In turn at two servers; then somebody holds the lease, and is refused briefly again.
        input_series: [values('a', 'NotAllowed', '2 _ 2 _ 2 2 2 0 0 1 1 0 0x10'), values('b', 'WrongTime', '1 1 1 1 1 1 1 0 0x20')],
        alert_rule_test: [
          { eval_time: '4m', alertname, exp_alerts: [] },
          { eval_time: '6m', alertname, exp_alerts: [{ exp_labels: { severity: 'warning' }, exp_annotations: annotations }] },
          { eval_time: '8m', alertname, exp_alerts: [] },
          { eval_time: '14m', alertname, exp_alerts: [] },
        ],
      },
    ];
    const file = path.join(folder, 'tests.yaml');
    writeFileSync(file, stringify({ rule_files: [path.join(deploy, 'prometheus/alerts.yaml')], evaluation_interval: '1m', tests }));
    await mustRun('promtool', ['test', 'rules', file]);
  });
});

test('an invalid expression and an unknown metric are detected', () => {
  expect(() => metricsIn('sum by (x (y)')).toThrow('not PromQL');
  expect(metricsIn('rate(nothing_total{a="b"}[5m]) / sum(other)')).toEqual(['nothing_total', 'other']);
});

test('every metric has a help text and follows Prometheus naming conventions', async () => {
  const { text } = await ask(`${server.url}/metrics`);
  const own = [...text.matchAll(/^# HELP (coordination_\S+) (.*)$/gm)];
  expect(own.length).toBeGreaterThan(15);
  for (const [, name, help] of own) expect(`${name}: ${help}`).toMatch(/^[a-z_]+: .+\.$/);
  for (const [, name = '', type] of text.matchAll(/^# TYPE (coordination_\S+) (\S+)$/gm)) {
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
  }
});
