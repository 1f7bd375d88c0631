import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { interleaved } from '../../../test/support/interleaved-store.js';
import { refusal } from '../../../test/support/registry-fixture.js';
import { FinalizerClearingReconciler } from './finalizer-clearing.reconciler.js';

const running: FinalizerClearingReconciler[] = [];
afterEach(async () => {
  for (const controller of running.splice(0)) await controller.stop();
});

async function fixture() {
  const { registry, replicas } = await interleaved();
  const start = async () => {
    const controller = new FinalizerClearingReconciler({
      objects: registry.objects,
      resources: [registry.leases, registry.namespaces],
      scheduler: registry.scheduler,
      logger: pino({ enabled: false }),
      now: () => registry.nowMs,
    });
    running.push(controller);
    await controller.start();
  };
  const pass = async (ms: number) => {
    registry.nowMs += ms;
    await registry.scheduler.pass(ms);
  };
  return { registry, replicas, start, pass };
}

describe('the finalizer clearing controller', () => {
  it.each(['Orphan', 'Foreground'] as const)('removes an object ten seconds after a deletion with %s', async (propagationPolicy) => {
    const { registry, start, pass } = await fixture();
    await start();
    await registry.createLease({ metadata: { name: 'a' } });
    await registry.deleteLease('a', { propagationPolicy });
    await pass(9000);
    expect((await registry.getLease('a')).metadata.finalizers).toHaveLength(1);
    await pass(1000);
    expect(await refusal(registry.getLease('a'))).toMatchObject({ code: 404 });
  });

  it('finds objects that were deleted before it started', async () => {
    const { registry, start, pass } = await fixture();
    await registry.createLease({ metadata: { name: 'a' } });
    await registry.deleteLease('a', { propagationPolicy: 'Foreground' });
    registry.nowMs += 20_000;
    await start();
    await pass(0);
    expect(await refusal(registry.getLease('a'))).toMatchObject({ code: 404 });
  });

  it('leaves an object alone that was recreated and deleted again under the same name', async () => {
    const { registry, replicas, start, pass } = await fixture();
    await start();
    await registry.createLease({ metadata: { name: 'a' } });
    await registry.deleteLease('a', { propagationPolicy: 'Foreground' });
    replicas.afterNext('get', 'leases.coordination.k8s.io', async () => {
      await registry.deleteLease('a', { propagationPolicy: 'Background' });
      await registry.createLease({ metadata: { name: 'a' } });
      await registry.deleteLease('a', { propagationPolicy: 'Foreground' });
    });
    await pass(10_000);
    expect((await registry.getLease('a')).metadata.finalizers).toHaveLength(1);
    await pass(10_000);
    expect(await refusal(registry.getLease('a'))).toMatchObject({ code: 404 });
  });

  it('leaves other finalizers alone', async () => {
    const { registry, start, pass } = await fixture();
    await start();
    await registry.createLease({ metadata: { name: 'a', finalizers: ['example.com/hold'] } });
    await registry.deleteLease('a', { propagationPolicy: 'Foreground' });
    await pass(10_000);
    expect((await registry.getLease('a')).metadata.finalizers).toEqual(['example.com/hold']);
  });

  it('leaves objects alone that are not being deleted', async () => {
    const { registry, start, pass } = await fixture();
    await start();
    await registry.createLease({ metadata: { name: 'a', finalizers: ['orphan'] } });
    await pass(60_000);
    expect((await registry.getLease('a')).metadata.finalizers).toEqual(['orphan']);
  });

  it('continues after its watch ends', async () => {
    const { registry, start, pass } = await fixture();
    const watches: { close(): void }[] = [];
    const watch = registry.memory.watch.bind(registry.memory);
    registry.memory.watch = async (...args) => {
      const opened = await watch(...args);
      watches.push(opened);
      return opened;
    };
    await start();
    for (const opened of watches.splice(0)) opened.close();
    await pass(250);
    expect(watches).toHaveLength(2);
    await registry.createLease({ metadata: { name: 'a' } });
    await registry.deleteLease('a', { propagationPolicy: 'Orphan' });
    await pass(10_000);
    expect(await refusal(registry.getLease('a'))).toMatchObject({ code: 404 });
  });
});
