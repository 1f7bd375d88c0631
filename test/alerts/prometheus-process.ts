import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { eventually } from '../support/eventually.js';
import { type AlertRule, alertRules } from '../e2e/monitoring/alert-rules.js';

/** A minute of the rules is a second here. What rules say in seconds stays, but for the age of transactions. */
function inHaste({ expr, for: pause, ...rule }: AlertRule): object {
  const seconds = (minutes: string): string => `${minutes}s`;
  const hasty = expr
    .replaceAll(/\[(\d+)m\]/g, (_, minutes: string) => `[${Math.max(10, Number(minutes))}s]`)
    .replace('_seconds{job="coordination-apiserver"}) > 300', '_seconds{job="coordination-apiserver"}) > 5');
  return { ...rule, expr: hasty, ...(pause !== undefined && { for: pause.endsWith('m') ? seconds(pause.slice(0, -1)) : '1s' }) };
}

/** Debian's Prometheus, which scrapes these servers each second with the rules of deploy/prometheus/alerts.yaml, in haste. */
export class PrometheusProcess implements AsyncDisposable {
  readonly #url: string;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stop: () => Promise<void>) {
    this.#url = url;
    this.#stop = stop;
  }

  static async start(dir: string, port: number, targets: readonly string[]): Promise<PrometheusProcess> {
    writeFileSync(path.join(dir, 'rules.yaml'), stringify({ groups: [{ name: 'hasty', rules: alertRules().map(inHaste) }] }));
    const scrape = {
      ...{ job_name: 'coordination-apiserver', scheme: 'https', tls_config: { insecure_skip_verify: true } },
      authorization: { credentials: 'admin-token' },
      static_configs: [{ targets: targets.map((url) => new URL(url).host) }],
    };
    const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' };
    const config = path.join(dir, 'prometheus.yaml');
    writeFileSync(config, stringify({ global, rule_files: ['rules.yaml'], scrape_configs: [scrape] }));
    const url = `http://127.0.0.1:${port}`;
    const flags = [`--config.file=${config}`, `--storage.tsdb.path=${path.join(dir, 'series')}`, `--web.listen-address=127.0.0.1:${port}`];
    const child = spawn('prometheus', flags, { stdio: 'ignore' });
    const exited = once(child, 'exit');
    const started = new PrometheusProcess(url, async () => {
      child.kill();
      await exited;
    });
    await eventually(() =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return started;
  }

  /** The alerts that fire now. */
  async firing(): Promise<Set<string>> {
    const response = await fetch(`${this.#url}/api/v1/alerts`);
    const { data } = (await response.json()) as { data: { alerts: { state: string; labels: { alertname: string } }[] } };
    return new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }
}
