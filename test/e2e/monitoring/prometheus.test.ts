import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { parser } from '@prometheus-io/lezer-promql';
import { stringify } from 'yaml';
import { mustRun } from '../../clients/run-program.js';
import { describeWith, PROMTOOL } from '../../clients/toolchain.js';
import { ask } from '../../support/http-client.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { startServerProcess } from '../../support/server-process.js';
import { ALERTS, RULE_CASES, alertRules, seriesOf } from './alert-rules.js';

const deploy = path.resolve(import.meta.dirname, '../../../deploy');
const read = (file: string): string => readFileSync(path.join(deploy, file), 'utf8');

let names: Set<string>;
const server = forAllTests(() => startServerProcess());
beforeAll(async () => {
  const { text } = await ask(`${server.url}/metrics`);
  names = new Set(['up', ...[...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type = '']) => namesOf(name, type))]);
});

function namesOf(name: string, type: string): string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

/** The metrics in a PromQL expression. Throws if the expression is invalid. */
function metricsIn(expression: string): string[] {
  return selectorsIn(expression).map((selector) => /^[a-zA-Z_:][\w:]*/.exec(selector)?.[0] ?? '');
}

/** The selectors in a PromQL expression. Throws if the expression is invalid. */
function selectorsIn(expression: string): string[] {
  const text = expression.replaceAll('$__rate_interval', '5m');
  const selectors: string[] = [];
  parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${text}`);
      if (node.type.name === 'VectorSelector') selectors.push(text.slice(node.from, node.to));
    },
  });
  return selectors;
}

interface Board {
  readonly templating: { readonly list: readonly { readonly query: string }[] };
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

test('every panel of the Grafana dashboard uses metrics that the server exports', () => {
  const { panels, templating } = JSON.parse(read('grafana/coordination-apiserver.json')) as Board;
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(30);
  const unknown = expressions.flatMap(metricsIn).filter((name) => !names.has(name));
  expect(unknown).toEqual([]);
  // of the servers that it shows, and of nothing else that a Prometheus scrapes
  expect(expressions.flatMap(selectorsIn).filter((selector) => !selector.includes('{job="$job",instance=~"$instance"'))).toEqual([]);
  const [, job, instance] = templating.list;
  expect([job?.query, instance?.query]).toEqual([
    'label_values(coordination_build_info, job)',
    'label_values(coordination_build_info{job="$job"}, instance)',
  ]);
});

test('every alert uses metrics that the server exports and says what to do', () => {
  const rules = alertRules();
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.flatMap(({ expr }) => metricsIn(expr)).filter((name) => !names.has(name))).toEqual([]);
  for (const { annotations } of rules) expect(Object.keys(annotations)).toEqual(['summary', 'description']);
  expect(rules.flatMap(({ expr }) => selectorsIn(expr)).filter((selector) => !selector.includes('{job="coordination-apiserver"'))).toEqual(
    [],
  );
});

/** What one Prometheus may scrape besides, and that has metrics of the same names. */
const NEIGHBOURS = ['kube-apiserver', 'kube-controller-manager', 'shop', 'another/coordination-apiserver'];
const JOB = 'coordination-apiserver';
const all = (state: 'sick' | 'well') =>
  Object.assign({}, ...Object.values(RULE_CASES).map((each) => each[state])) as Record<string, string>;

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
          { eval_time: '6m', alertname, exp_alerts: [{ exp_labels: { job: JOB, severity: 'warning' }, exp_annotations: annotations }] },
          { eval_time: '8m', alertname, exp_alerts: [] },
          { eval_time: '14m', alertname, exp_alerts: [] },
        ],
      },
    ];
    await passes(tests);
  });

  const passes = async (tests: object[]): Promise<void> => {
    const file = path.join(folder, 'tests.yaml');
    writeFileSync(file, stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests }));
    await mustRun('promtool', ['test', 'rules', file]);
  };

  test('the line at the head of the alerts names another job everywhere', async () => {
    const [, sed = ''] = /(sed '.*') deploy/.exec(read('prometheus/alerts.yaml')) ?? [];
    const { stdout } = spawnSync('sh', ['-c', `${sed} '${ALERTS}'`], { encoding: 'utf8' });
    const other = path.join(folder, 'other.yaml');
    writeFileSync(other, stdout);
    await mustRun('promtool', ['check', 'rules', other]);
    expect(stdout.split('job="NAME"').length).toBeGreaterThan(20);
    expect(stdout).not.toContain('job="coordination-apiserver"');
  });

  test('every alert is in the table of what it fires for', () => {
    expect(Object.keys(RULE_CASES)).toEqual(alertRules().map(({ alert }) => alert));
  });

  describe.each(alertRules())('$alert', ({ alert: alertname, labels: { severity }, annotations }) => {
    const { sick, well, labels = {} } = RULE_CASES[alertname]!;
    const beside = (state: 'sick' | 'well') => NEIGHBOURS.flatMap((job) => seriesOf(job, all(state)));
    const expects = (input_series: object[], ...alerts: object[]) =>
      passes([{ interval: '1m', input_series, alert_rule_test: [{ eval_time: '50m', alertname, exp_alerts: alerts }] }]);
    const description = annotations.description.replace(/\{\{ range.*end \}\}/, ' NotAllowed 2;');
    const firing = { exp_labels: { job: JOB, severity, ...labels }, exp_annotations: { ...annotations, description } };

    test('fires alone and beside neighbours that are well', async () => {
      await expects(seriesOf(JOB, sick), firing);
      await expects([...seriesOf(JOB, sick), ...beside('well')], firing);
    });

    test('does not fire alone, nor for neighbours that are sick', async () => {
      await expects(seriesOf(JOB, { ...well, 'up{instance="c"}': '1x60' }));
      await expects([...seriesOf(JOB, { ...well, 'up{instance="c"}': '1x60' }), ...beside('sick')]);
    });
  });

  test('CoordinationAllServersDown fires where nothing is scraped', async () => {
    const rule = alertRules().find(({ alert }) => alert === 'CoordinationAllServersDown')!;
    const exp_alerts = [{ exp_labels: { job: JOB, ...rule.labels }, exp_annotations: rule.annotations }];
    const input_series = NEIGHBOURS.flatMap((job) => seriesOf(job, all('well')));
    await passes([{ interval: '1m', input_series, alert_rule_test: [{ eval_time: '5m', alertname: rule.alert, exp_alerts }] }]);
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
