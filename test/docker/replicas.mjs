// Three servers behind a load balancer, and a synchronous standby. Each test leaves everything running for the next one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, docker } from './engine.mjs';
import { assertConfined, assertNothingLost, assertNothingTold } from './expectations.mjs';
import { ask, LeaseHolder } from './lease-holder.mjs';
import { Project } from './project.mjs';

const SERVERS = ['apiserver', 'apiserver-2', 'apiserver-3'];
const PROFILE = '--profile=replicas';
const SYNCHRONOUS = `select string_agg(application_name, ',') from pg_stat_replication where sync_state = 'sync'`;

export function replicas() {
  let project;
  let kubeconfig;

  const synchronous = (primary, standby) =>
    eventually(`${standby} is the synchronous standby of ${primary}`, async () => (await project.psql(primary, SYNCHRONOUS)) === standby);

  before(async () => {
    project = await Project.create('replicas');
    await project.up(PROFILE);
    await project.healthy(...SERVERS, 'loadbalancer', 'database', 'database-2');
    await synchronous('database', 'database-2');
    kubeconfig = await project.kubeconfig(project.env.LOADBALANCER_PORT);
  });
  after(() => project?.remove());

  test('kubectl works through the load balancer', async () => {
    const lease = 'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: example}\nspec: {holderIdentity: me}\n';
    assert.equal(await project.kubectl(kubeconfig, ['create', '-f', '-'], lease), 'lease.coordination.k8s.io/example created\n');
    assert.match(await project.kubectl(kubeconfig, ['get', 'leases']), /^NAME\s+HOLDER\s+AGE\nexample\s+me\s/);
  });

  test('no container has privileges or a writable root file system', () => assertConfined(project));

  test('when any server crashes, no renewal needs more than one retry', async () => {
    const holder = new LeaseHolder(kubeconfig, 'balanced');
    try {
      await eventually('the first renewals', () => holder.renewals >= 5);
      for (const service of SERVERS) {
        await project.crash(service);
        await project.healthy(service);
        const before = holder.renewals;
        await eventually(`renewals after ${service} crashed`, () => holder.renewals >= before + 5);
      }
    } finally {
      await holder.stop();
    }
    assert.ok(holder.worst <= 1, `a renewal failed ${holder.worst} times in a row`);
    assert.deepEqual(await holder.stored(), holder.acknowledged);
  });

  for (const service of ['database', 'database-2']) {
    test(`renewals continue and no acknowledged write is lost when the ${service} crashes and comes back`, async () => {
      await assertNothingLost(kubeconfig, `with-${service}`, () => project.crash(service));
      await synchronous('database', 'database-2');
    });
  }

  test('nothing is acknowledged while the standby is away, until the database is told to continue without it', async () => {
    await assertNothingLost(kubeconfig, 'alone', async (holder) => {
      await project.compose(PROFILE, 'stop', 'database-2');
      const before = holder.renewals;
      await eventually('a write waits for the standby', async () => {
        return (await project.psql('database', `select count(*) from pg_stat_activity where wait_event = 'SyncRep'`)) !== '0';
      });
      assert.ok(holder.renewals <= before + 1);
      assert.equal((await ask(kubeconfig, '/apis/coordination.k8s.io/v1/leases')).status, 200);
      await project.psql('database', 'alter system reset synchronous_standby_names', 'select pg_reload_conf()');
    });
    await project.up(PROFILE, 'database-2');
    await synchronous('database', 'database-2');
  });

  test('a backup is taken from the standby', async () => {
    const url = 'postgresql://coordination@database-2:5432/coordination';
    const lines = await project.exec('apiserver', 'coordination-apiserver', 'backup', '-', '--database-url', url);
    assert.ok(lines.includes(String.raw`\"name\":\"example\"`));
    assert.match(await project.exec('apiserver', 'coordination-apiserver', 'verify', '--database-url', url), /\w/);
  });

  test('the configuration and the log of every container are free of secrets', () => assertNothingTold(project));

  test('the promoted standby has every acknowledged write, and the former primary becomes its standby', async () => {
    await assertNothingLost(kubeconfig, 'promoted', async () => {
      await docker('kill', await project.container('database'));
      project.env.DATABASE_PRIMARY = 'database-2';
      await project.up(PROFILE, '--no-deps', 'database-2', ...SERVERS);
      await project.healthy('database-2', ...SERVERS);
    });
    assert.match(await project.kubectl(kubeconfig, ['get', 'lease', 'example']), /example\s+me/);

    const remove = ['--entrypoint', 'find', 'database', '/var/lib/postgresql/data', '-mindepth', '1', '-delete'];
    await project.compose('run', '--rm', '--no-deps', ...remove);
    await assertNothingLost(kubeconfig, 'swapped', async () => {
      await project.up(PROFILE);
      await project.healthy('database', ...SERVERS);
      await synchronous('database-2', 'database');
    });
  });

  test('a former primary that still has its data does not start as a primary', async () => {
    project.env.DATABASE_PRIMARY = 'database';
    await project.up(PROFILE, '--no-deps', 'database-2');
    await eventually('it says why', async () => {
      const log = await project.compose(PROFILE, 'logs', '--no-color', 'database-2');
      return log.includes('database-2: was a primary, and database is to be primary now: remove the data of database-2');
    });
  });
}
