// docker-compose.yml on a real engine: `npm run test:docker`. Skipped, with the reason, where there is none.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildImages, eventually, missing, docker, Project, run } from './engine.mjs';
import { ask, LeaseHolder } from './lease-holder.mjs';

const reason = missing();
if (reason) console.log(`skipped: ${reason}`);

describe('docker compose', { skip: reason ?? false, timeout: 40 * 60_000 }, () => {
  const home = mkdtempSync(path.join(tmpdir(), 'compose-'));
  let project;
  let kubeconfig;

  const handedOut = async (port) => {
    const server = `https://127.0.0.1:${port}`;
    return JSON.parse(await project.compose('exec', '-T', 'apiserver', 'coordination-apiserver', 'kubeconfig', '--server', server));
  };
  const kubectl = (config, args, input) => {
    const file = path.join(home, 'kubeconfig');
    writeFileSync(file, JSON.stringify(config));
    return run('kubectl', [`--kubeconfig=${file}`, `--cache-dir=${home}`, ...args], { input });
  };

  before(async () => {
    project = await Project.create();
    if (!process.env.SKIP_IMAGE_BUILD) await buildImages();
    await project.compose('up', '--detach', '--no-build');
    await project.healthy('apiserver');
    kubeconfig = await handedOut(project.port);
  });
  after(async () => {
    if (project) await project.compose('--profile', 'replicas', 'down', '--volumes', '--timeout=10');
    rmSync(home, { recursive: true });
  });

  test('kubectl works with the kubeconfig that one command hands out', async () => {
    const lease = 'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: example}\nspec: {holderIdentity: me}\n';
    assert.equal(await kubectl(kubeconfig, ['create', '-f', '-'], lease), 'lease.coordination.k8s.io/example created\n');
    assert.match(await kubectl(kubeconfig, ['get', 'leases']), /^NAME\s+HOLDER\s+AGE\nexample\s+me\s/);
  });

  test('probes need no token, and everything else does', async () => {
    const status = async (target) => (await ask(kubeconfig, target, { token: false })).status;
    assert.deepEqual([await status('/livez'), await status('/readyz')], [200, 200]);
    assert.deepEqual([await status('/readyz/database'), await status('/apis'), await status('/version')], [401, 401, 401]);
  });

  test('the server is not root, and its root file system is read-only', async () => {
    const { Config, HostConfig } = await project.inspect('apiserver');
    assert.deepEqual([Config.User, HostConfig.ReadonlyRootfs], ['1000:1000', true]);
    await assert.rejects(project.compose('exec', '-T', 'apiserver', 'touch', '/app/dist/main.js'), /Read-only file system/);
  });

  test('no password shows in the configuration of any container', async () => {
    const password = (await project.compose('exec', '-T', 'database', 'cat', '/secrets/password')).trim();
    assert.match(password, /^[0-9a-f]{64}$/);
    for (const service of ['apiserver', 'database', 'secrets']) {
      assert.ok(!(await docker('inspect', await project.container(service))).includes(password), service);
    }
  });

  for (const service of ['apiserver', 'database']) {
    test(`renewals go on, and nothing acknowledged is lost, when the ${service} crashes`, async () => {
      const holder = new LeaseHolder(kubeconfig, `with-${service}`);
      try {
        await eventually('the first renewals', () => holder.renewals >= 3);
        await project.crash(service);
        const before = holder.renewals;
        await eventually('renewals after the crash', () => holder.renewals >= before + 3);
      } finally {
        await holder.stop();
      }
      assert.deepEqual(await holder.stored(), holder.acknowledged);
      assert.match(await kubectl(kubeconfig, ['get', 'lease', 'example']), /example\s+me/);
    });
  }

  test('what is there outlasts the containers', async () => {
    await project.compose('down', '--timeout=30');
    await project.compose('up', '--detach', '--no-build');
    await project.healthy('apiserver');
    assert.match(await kubectl(kubeconfig, ['get', 'lease', 'example']), /example\s+me/);
  });

  test('of three replicas behind the load balancer one may crash: no renewal needs more than one retry', async () => {
    await project.compose('--profile', 'replicas', 'up', '--detach', '--no-build');
    const services = ['apiserver', 'apiserver-2', 'apiserver-3'];
    for (const service of services) await project.healthy(service);
    const balanced = await handedOut(project.balancedPort);
    await eventually('the load balancer passes requests on', () =>
      ask(balanced, '/readyz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    const holder = new LeaseHolder(balanced, 'balanced');
    try {
      await eventually('the first renewals', () => holder.renewals >= 10);
      for (const service of services) {
        await project.crash(service);
        await project.healthy(service);
        const before = holder.renewals;
        await eventually(`renewals after ${service} crashed`, () => holder.renewals >= before + 5);
      }
    } finally {
      await holder.stop();
    }
    assert.ok(holder.worst <= 1, `a renewal failed ${holder.worst} times in a row`);
  });
});
