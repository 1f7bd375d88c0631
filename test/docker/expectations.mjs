import assert from 'node:assert/strict';
import { eventually } from './engine.mjs';
import { LeaseHolder } from './lease-holder.mjs';

/** Capabilities of PostgreSQL's containers, needed to take over their data directory and switch accounts. */
const DATABASE_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];

/** Every long-running container has a read-only root, no privileges, and a health check. */
export async function assertConfined(project) {
  for (const { Config, HostConfig, State, Name } of await project.inspectAll()) {
    if (!State.Running) continue;
    const service = Config.Labels['com.docker.compose.service'];
    assert.equal(HostConfig.ReadonlyRootfs, true, Name);
    assert.deepEqual([HostConfig.CapDrop, HostConfig.SecurityOpt], [['ALL'], ['no-new-privileges:true']], Name);
    assert.deepEqual(HostConfig.CapAdd ?? [], service.startsWith('database') ? DATABASE_CAPABILITIES : [], Name);
    assert.notEqual(State.Health, undefined, `${Name} has no health check`);
    if (!service.startsWith('database')) assert.doesNotMatch(Config.User, /^(|0|root)(:|$)/, Name);
  }
}

/** No secret appears in the configuration or the log of any container. */
export async function assertNothingTold(project) {
  const secrets = await Promise.all([
    project.exec('database', 'cat', '/secrets/password'),
    project.exec('database', 'cat', '/secrets/standby-password'),
    project.exec('apiserver', 'cat', '/secrets/secrets-key'),
    project.exec('apiserver', 'sed', 's/,.*//', '/secrets/tokens.csv'),
  ]);
  const told = [JSON.stringify(await project.inspectAll()), await project.compose('--profile=replicas', 'logs', '--no-color')];
  for (const secret of secrets.map((text) => text.trim())) {
    assert.match(secret, /^[0-9a-f]{64}$/);
    for (const text of told) assert.ok(!text.includes(secret));
  }
  assert.equal(new Set(secrets).size, secrets.length);
}

/** Renewals continue after `harm`, and the final stored state is the last acknowledged one. Returns the stopped holder. */
export async function assertNothingLost(kubeconfig, name, harm) {
  const holder = new LeaseHolder(kubeconfig, name);
  try {
    await eventually('the first renewals', () => holder.renewals >= 3);
    await harm(holder);
    const before = holder.renewals;
    await eventually('renewals afterwards', () => holder.renewals >= before + 3);
  } finally {
    await holder.stop();
  }
  assert.deepEqual(await holder.stored(), holder.acknowledged);
  return holder;
}
