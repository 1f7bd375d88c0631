import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { LIST, RegistryFixture, WRITE, decoded, leaseTarget } from '../../../test/support/registry-fixture.js';
import { IdentityLeaseGcReconciler, IdentityLeaseReconciler, serverIdentity } from './identity-lease.reconciler.js';

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const controller of running.splice(0)) await controller.stop();
});

async function fixture() {
  const registry = await new RegistryFixture().withNamespace('kube-system');
  const component = 'kube-apiserver';
  const shared = {
    leases: registry.leases,
    component,
    scheduler: registry.scheduler,
    logger: pino({ enabled: false }),
    now: () => registry.nowMs,
  };
  const started = async <C extends { start(): Promise<void>; stop(): Promise<void> }>(controller: C): Promise<C> => {
    running.push(controller);
    await controller.start();
    await registry.scheduler.pass(0);
    return controller;
  };
  const pass = async (ms: number) => {
    registry.nowMs += ms;
    await registry.scheduler.pass(ms);
  };
  const list = async () => (await registry.leases.list(leaseTarget('', 'kube-system'), LIST)).objects.map((stored) => decoded(stored));
  const replica = (name: string) => started(new IdentityLeaseReconciler({ ...shared, name, holder: `${name}_1`, hostname: 'node-1' }));
  return { registry, pass, list, replica, started, shared, collector: () => started(new IdentityLeaseGcReconciler(shared)) };
}

describe('the lease of a replica', () => {
  it('names the holder and the host', async () => {
    const { replica, list } = await fixture();
    await replica('apiserver-a');
    expect(await list()).toMatchObject([
      {
        metadata: {
          name: 'apiserver-a',
          labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'node-1' },
        },
        spec: { holderIdentity: 'apiserver-a_1', leaseDurationSeconds: 3600, renewTime: '2026-01-02T03:04:05.678000Z' },
      },
    ]);
  });

  it('is renewed every ten seconds with one write', async () => {
    const { replica, list, pass } = await fixture();
    await replica('apiserver-a');
    const [first] = await list();
    await pass(9999);
    expect(await list()).toEqual([first]);
    await pass(1);
    const [renewed] = await list();
    expect(renewed?.spec?.renewTime).toBe('2026-01-02T03:04:15.678000Z');
    expect(Number(renewed?.metadata.resourceVersion)).toBe(Number(first?.metadata.resourceVersion) + 1);
  });

  it('is kept at shutdown if another process has taken it over', async () => {
    const { replica, list, started, shared } = await fixture();
    const old = await replica('apiserver-a');
    await started(new IdentityLeaseReconciler({ ...shared, name: 'apiserver-a', holder: 'apiserver-a_2', hostname: 'node-1' }));
    await old.stop();
    expect(await list()).toMatchObject([{ spec: { holderIdentity: 'apiserver-a_2' } }]);
  });

  it('is recreated after somebody deletes it', async () => {
    const { registry, replica, list, pass } = await fixture();
    await replica('apiserver-a');
    await registry.leases.delete(registry.context, leaseTarget('apiserver-a', 'kube-system'), { dryRun: false });
    await pass(10_000);
    expect(await list()).toHaveLength(1);
  });

  it('is deleted when its replica stops', async () => {
    const { replica, list } = await fixture();
    const one = await replica('apiserver-a');
    await replica('apiserver-b');
    await one.stop();
    expect((await list()).map(({ metadata }) => metadata.name)).toEqual(['apiserver-b']);
  });
});

describe("garbage collection of replicas' leases", () => {
  it('deletes leases not renewed for an hour, and no others', async () => {
    const { registry, replica, collector, list, pass } = await fixture();
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
    const renewTime = '2026-01-02T02:30:00.000000Z';
    await registry.createLease(
      { metadata: { name: 'gone', labels }, spec: { leaseDurationSeconds: 3600, renewTime } },
      WRITE,
      'kube-system',
    );
    await registry.createLease({ metadata: { name: 'empty', labels } }, WRITE, 'kube-system');
    await registry.createLease({ metadata: { name: 'other' }, spec: { leaseDurationSeconds: 1, renewTime } }, WRITE, 'kube-system');
    await replica('apiserver-a');
    await collector();
    const names = async () => (await list()).map(({ metadata }) => metadata.name);
    expect(await names()).toEqual(['apiserver-a', 'gone', 'other']);
    await pass(3_600_000);
    expect(await names()).toEqual(['apiserver-a', 'other']);
  });
});

describe('the name of a replica', () => {
  it('is stable across restarts and differs by host and port', () => {
    const name = serverIdentity('node-1', 6443);
    expect(name).toMatch(/^apiserver-[a-z2-7]{26}$/);
    expect(serverIdentity('node-1', 6443)).toBe(name);
    const others = [
      serverIdentity('node-2', 6443),
      serverIdentity('node-1', 6444),
      serverIdentity('node-1', 6443, 1),
      serverIdentity('node-1', 6443, 2),
    ];
    expect(new Set([name, ...others]).size).toBe(5);
  });
});
