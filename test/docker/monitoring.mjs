// Prometheus and Grafana. If the image of Prometheus cannot be pulled, Debian's program replaces it; Grafana has no replacement.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { build, eventually, missing, missingImage, root } from './engine.mjs';
import { assertConfined } from './expectations.mjs';
import { ask, LeaseHolder } from './lease-holder.mjs';
import { Project } from './project.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const { services } = parse(read('docker-compose.yml').replaceAll(/\$\{[A-Z]+_IMAGE:-([^}]+)\}/g, '$1'), { merge: true });
const withoutGrafana = missing() ?? missingImage(services.grafana.image);
const PROFILE = '--profile=monitoring';

/** Panels of the dashboard that may be empty while a server has no errors. */
const MAY_BE_EMPTY = new Set(['Refused and failed', 'Ended without a response', 'Asked for in vain']);

export function monitoring() {
  let project;
  let kubeconfig;
  let holder;
  let watch;

  const prometheus = async (target, parameters = {}) => {
    const url = `http://127.0.0.1:${project.env.PROMETHEUS_PORT}/api/v1/${target}?${new URLSearchParams(parameters)}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    const { status, error, data } = await response.json();
    assert.equal(status, 'success', `${url}: ${error}`);
    return data;
  };
  const serversUp = async () => (await prometheus('query', { query: 'up{job="coordination-apiserver"} == 1' })).result.length;

  before(async () => {
    if (missingImage(services.prometheus.image)) await build(services.prometheus.image, 'test/docker/prometheus');
    project = await Project.create('monitoring');
    await project.up(PROFILE, ...(withoutGrafana ? ['prometheus'] : []));
    await project.healthy('prometheus', ...(withoutGrafana ? [] : ['grafana']));
    kubeconfig = await project.kubeconfig();
    holder = new LeaseHolder(kubeconfig, 'watched');
    watch = ask(kubeconfig, '/apis/coordination.k8s.io/v1/leases?watch=true', { timeoutMs: 10 * 60_000 }).catch(() => undefined);
  });
  after(async () => {
    await holder?.stop();
    await project?.remove();
    await watch;
  });

  test('no container has privileges or a writable root file system', () => assertConfined(project));

  test("Prometheus' token may read metrics but no leases", async () => {
    const token = await project.exec('prometheus', 'cat', '/secrets/token');
    const config = { ...kubeconfig, users: [{ user: { token } }] };
    const status = async (target) => (await ask(config, target)).status;
    assert.deepEqual([await status('/metrics'), await status('/apis/coordination.k8s.io/v1/leases')], [200, 403]);
    assert.ok(!JSON.stringify(await project.inspectAll()).includes(token));
  });

  test('Prometheus finds every server, including added ones', async () => {
    await eventually('the server is up', async () => (await serversUp()) === 1);
    await project.up('--profile=replicas', '--no-deps', 'apiserver-2');
    await eventually('both servers are up', async () => (await serversUp()) === 2);
    const { activeTargets, droppedTargets } = await prometheus('targets');
    assert.deepEqual([activeTargets.map(({ lastError }) => lastError), droppedTargets], [['', '', ''], []]);
  });

  test('every alert is loaded and evaluated, and none fires', async () => {
    const { groups } = await prometheus('rules');
    const rules = groups.flatMap((group) => group.rules);
    const written = parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap((group) => group.rules);
    assert.deepEqual(rules.map(({ name }) => name).sort(), written.map(({ alert }) => alert).sort());
    await eventually('all are evaluated', async () => {
      const now = (await prometheus('rules')).groups.flatMap((group) => group.rules);
      return now.every(({ health }) => health === 'ok');
    });
    assert.deepEqual(
      (await prometheus('alerts')).alerts.filter(({ state }) => state === 'firing'),
      [],
    );
  });

  test('every query of the dashboard works, and those that must show data do', async () => {
    const { panels } = JSON.parse(read('deploy/grafana/coordination-apiserver.json'));
    const asked = async (expr) => {
      const query = expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*').replaceAll('$job', 'coordination-apiserver');
      return (await prometheus('query', { query })).result;
    };
    // A rate needs two scrapes.
    await eventually(
      'renewals are counted',
      async () => (await asked('sum(rate(apiserver_request_total[$__rate_interval])) > 0')).length > 0,
    );
    const empty = [];
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) if ((await asked(expr)).length === 0) empty.push(title);
    }
    assert.deepEqual(
      empty.filter((title) => !MAY_BE_EMPTY.has(title)),
      [],
    );
  });

  test("Grafana's provisioning refers only to existing files and data sources", () => {
    const mounted = Object.fromEntries(services.grafana.volumes.map((volume) => volume.split(':').slice(0, 2).reverse()));
    const provisioned = (kind) => {
      const file = Object.keys(mounted).find((target) => target.startsWith(`/etc/grafana/provisioning/${kind}/`));
      return parse(read(mounted[file]));
    };
    const [datasource] = provisioned('datasources').datasources;
    const [port] = services.prometheus.ports.map((published) => published.split(':').at(-1));
    assert.deepEqual([datasource.type, datasource.url, datasource.isDefault], ['prometheus', `http://prometheus:${port}`, true]);
    const boards = mounted[provisioned('dashboards').providers[0].options.path];
    const { uid, templating } = JSON.parse(read(path.join(boards, 'coordination-apiserver.json')));
    assert.equal(uid, 'coordination-apiserver');
    assert.equal(templating.list[0].query, datasource.type);
  });

  test('Grafana shows the dashboard to anonymous users, and allows no login', { skip: withoutGrafana ?? false }, async () => {
    const url = `http://127.0.0.1:${project.env.GRAFANA_PORT}/api/`;
    const board = await fetch(`${url}dashboards/uid/coordination-apiserver`);
    assert.equal((await board.json()).meta.canSave, false);
    const query = await fetch(`${url}datasources/proxy/uid/prometheus/api/v1/query?query=up`);
    assert.equal((await query.json()).status, 'success');
    const authorization = `Basic ${Buffer.from('admin:admin').toString('base64')}`;
    assert.notEqual((await fetch(`${url}admin/stats`, { headers: { authorization } })).status, 200);
  });
}
