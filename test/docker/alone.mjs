// The default: one server and its PostgreSQL.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertConfined, assertNothingLost, assertNothingTold } from './expectations.mjs';
import { ask } from './lease-holder.mjs';
import { Project } from './project.mjs';

export function alone() {
  let project;
  let kubeconfig;

  before(async () => {
    project = await Project.create('alone');
    await project.up();
    await project.healthy('apiserver');
    kubeconfig = await project.kubeconfig();
  });
  after(() => project?.remove());

  test('kubectl works with the kubeconfig printed by the documented command', async () => {
    const lease = 'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: example}\nspec: {holderIdentity: me}\n';
    assert.equal(await project.kubectl(kubeconfig, ['create', '-f', '-'], lease), 'lease.coordination.k8s.io/example created\n');
    assert.match(await project.kubectl(kubeconfig, ['get', 'leases']), /^NAME\s+HOLDER\s+AGE\nexample\s+me\s/);
  });

  test('probes need no token, and all other requests do', async () => {
    const status = async (target) => (await ask(kubeconfig, target, { token: false })).status;
    assert.deepEqual([await status('/livez'), await status('/readyz')], [200, 200]);
    assert.deepEqual([await status('/readyz/database'), await status('/apis'), await status('/metrics')], [401, 401, 401]);
  });

  test('no container has privileges or a writable root file system', async () => {
    await assertConfined(project);
    await assert.rejects(project.exec('apiserver', 'touch', '/tmp/file'), /Read-only file system/);
  });

  test('the configuration and the log of every container are free of secrets', () => assertNothingTold(project));

  for (const service of ['apiserver', 'database']) {
    test(`renewals continue and no acknowledged write is lost when the ${service} crashes`, async () => {
      await assertNothingLost(kubeconfig, `with-${service}`, () => project.crash(service));
      assert.match(await project.kubectl(kubeconfig, ['get', 'lease', 'example']), /example\s+me/);
    });
  }

  test('data survives the containers', async () => {
    await project.compose('down', '--timeout=30');
    await project.up();
    await project.healthy('apiserver');
    assert.match(await project.kubectl(kubeconfig, ['get', 'lease', 'example']), /example\s+me/);
  });

  test('no write waits for a standby', async () => {
    assert.equal(await project.psql('database', 'show synchronous_standby_names'), '');
  });
}
