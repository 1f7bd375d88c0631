import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { interleaved } from '../../../test/support/interleaved-store.js';
import { settle } from '../../../test/support/manual-scheduler.js';
import {
  DELETE,
  LIST,
  RegistryFixture,
  WRITE,
  decoded,
  leaseTarget,
  namespaceTarget,
  put,
  refusal,
} from '../../../test/support/registry-fixture.js';
import type { Namespace } from '../../apis/core/namespace/namespace.schema.js';
import { NamespaceDeletionReconciler } from './namespace-deletion.reconciler.js';

const running: NamespaceDeletionReconciler[] = [];
afterEach(async () => {
  for (const controller of running.splice(0)) await controller.stop();
});

async function controllerOf(registry: RegistryFixture, logger = pino({ enabled: false })) {
  const { leases, finalize, status, scheduler, objects } = registry;
  const controller = new NamespaceDeletionReconciler({
    objects,
    content: [leases],
    finalize,
    status,
    scheduler,
    logger,
    now: () => registry.nowMs,
  });
  running.push(controller);
  await controller.start();
  await registry.scheduler.pass(0);
  return controller;
}

const deleteNamespace = (registry: RegistryFixture) => registry.namespaces.delete(registry.context, namespaceTarget('ns'), DELETE);
const namespace = async (registry: RegistryFixture) =>
  decoded<Namespace>(await registry.namespaces.get(namespaceTarget('ns'), { resourceVersion: '' }));
const leases = async (registry: RegistryFixture) => (await registry.leases.list(leaseTarget(''), LIST)).objects;
const gone = async (registry: RegistryFixture) =>
  expect(await refusal(registry.namespaces.get(namespaceTarget('ns'), { resourceVersion: '' }))).toMatchObject({ code: 404 });

describe('the namespace controller', () => {
  it('empties and removes a deleted namespace at once', async () => {
    const registry = await new RegistryFixture().withNamespace();
    await registry.withNamespace('other');
    for (const name of ['a', 'b', 'c']) await registry.createLease({ metadata: { name } });
    await registry.createLease({ metadata: { name: 'a' } }, WRITE, 'other');
    await controllerOf(registry);
    await deleteNamespace(registry);
    await registry.scheduler.pass(0);
    await gone(registry);
    expect(await leases(registry)).toEqual([]);
    expect((await registry.leases.list(leaseTarget('', 'other'), LIST)).objects).toHaveLength(1);
  });

  it('finds namespaces that were deleted before it started', async () => {
    const registry = await new RegistryFixture().withNamespace();
    await deleteNamespace(registry);
    await controllerOf(registry);
    await gone(registry);
  });

  it('leaves namespaces alone that are not being deleted', async () => {
    const registry = await new RegistryFixture().withNamespace();
    await registry.createLease({ metadata: { name: 'a' } });
    await controllerOf(registry);
    await registry.scheduler.pass(60_000);
    expect(await leases(registry)).toHaveLength(1);
  });

  it('waits for content with finalizers, and reports it in the status', async () => {
    const registry = await new RegistryFixture().withNamespace();
    await registry.createLease({ metadata: { name: 'a', finalizers: ['example.com/hold'] } });
    await registry.createLease({ metadata: { name: 'b' } });
    await controllerOf(registry);
    await deleteNamespace(registry);
    await registry.scheduler.pass(0);
    const waiting = await namespace(registry);
    expect(waiting.status).toEqual({
      phase: 'Terminating',
      conditions: [
        {
          type: 'NamespaceContentRemaining',
          status: 'True',
          lastTransitionTime: '2026-01-02T03:04:05Z',
          reason: 'SomeResourcesRemain',
          message: 'Some resources are remaining: leases.coordination.k8s.io has 1 resource instances',
        },
        {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          lastTransitionTime: '2026-01-02T03:04:05Z',
          reason: 'SomeFinalizersRemain',
          message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
        },
      ],
    });
    registry.nowMs += 5000;
    await registry.scheduler.pass(5000);
    expect(await namespace(registry)).toEqual(waiting);
    const held = await registry.getLease('a');
    await registry.putLease('a', { metadata: { name: 'a', resourceVersion: held.metadata.resourceVersion } });
    await registry.scheduler.pass(1000);
    await gone(registry);
  });

  it("waits for other owners of the namespace's finalizers", async () => {
    const registry = await new RegistryFixture().withNamespace();
    const { spec, metadata } = await namespace(registry);
    const body = { metadata, spec: { finalizers: [...(spec?.finalizers ?? []), 'example.com/other'] } };
    await registry.finalize.update(registry.context, namespaceTarget('ns'), put(body), WRITE);
    await controllerOf(registry);
    await deleteNamespace(registry);
    await registry.scheduler.pass(5000);
    expect((await namespace(registry)).spec).toEqual({ finalizers: ['example.com/other'] });
  });

  it('works alongside other replicas without errors', async () => {
    const registry = await new RegistryFixture().withNamespace();
    for (let at = 0; at < 20; at++) await registry.createLease({ metadata: { name: `l${at}` } });
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => void lines.push(line) });
    for (let replica = 0; replica < 3; replica++) await controllerOf(registry, logger);
    await deleteNamespace(registry);
    await registry.scheduler.pass(0);
    await gone(registry);
    expect(lines).toEqual([]);
  });

  it('retries after an error, and logs it', async () => {
    const registry = await new RegistryFixture().withNamespace();
    const lines: string[] = [];
    await controllerOf(registry, pino({}, { write: (line: string) => void lines.push(line) }));
    const list = registry.memory.list.bind(registry.memory);
    registry.memory.list = () => Promise.reject(new Error('the database is away'));
    await deleteNamespace(registry);
    await registry.scheduler.pass(0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('the database is away');
    registry.memory.list = list;
    await registry.scheduler.pass(250);
    await gone(registry);
  });

  it('does nothing once it is stopped', async () => {
    const registry = await new RegistryFixture().withNamespace();
    const controller = await controllerOf(registry);
    await controller.stop();
    await deleteNamespace(registry);
    await registry.scheduler.pass(60_000);
    await settle();
    expect((await namespace(registry)).status?.phase).toBe('Terminating');
  });
});

describe('the namespace controller, when another replica is faster and the namespace is recreated', () => {
  const LEASES = 'leases.coordination.k8s.io';
  const finalizers = (change: (live: Namespace) => Namespace) => ({
    next: (live: unknown) => change(live as Namespace),
    mayCreate: false,
    tracksFields: 'update' as const,
    retries: true,
  });

  /** The other replica deletes the rest of the namespace, and then a client creates the same names again. */
  async function madeAgain(registry: RegistryFixture): Promise<void> {
    const { context } = registry;
    for (const { key } of await leases(registry)) await registry.deleteLease(key.name);
    const release = finalizers((live) => ({ ...live, spec: { ...live.spec, finalizers: [] } }));
    await registry.finalize.update(context, namespaceTarget('ns'), release, WRITE);
    await registry.withNamespace();
    await registry.createLease({ metadata: { name: 'a' } });
  }

  async function untouched(registry: RegistryFixture): Promise<void> {
    const { spec, status } = await namespace(registry);
    expect([spec?.finalizers, status]).toEqual([['kubernetes'], { phase: 'Active' }]);
    expect((await leases(registry)).map(({ key }) => key.name)).toEqual(['a']);
  }

  it('does not remove the finalizer of the new namespace', async () => {
    const { registry, replicas } = await interleaved();
    await deleteNamespace(registry);
    // Of the two lists without results, the second one proves that the namespace is empty.
    replicas.afterNext('list', LEASES, () => Promise.resolve(replicas.afterNext('list', LEASES, () => madeAgain(registry))));
    await controllerOf(registry);
    await untouched(registry);
  });

  it('does not delete the contents of the new namespace', async () => {
    const { registry, replicas } = await interleaved();
    await registry.createLease({ metadata: { name: 'a' } });
    await deleteNamespace(registry);
    replicas.afterNext('list', LEASES, () => madeAgain(registry));
    await controllerOf(registry);
    await untouched(registry);
  });

  it('does not delete contents that are created after its last check', async () => {
    const { registry, replicas } = await interleaved();
    await registry.createLease({ metadata: { name: 'a' } });
    await deleteNamespace(registry);
    const look = () => replicas.afterNext('get', 'namespaces', () => madeAgain(registry));
    replicas.afterNext('list', LEASES, () => Promise.resolve(look()));
    await controllerOf(registry);
    await untouched(registry);
  });

  it('does not write a status to the new namespace', async () => {
    const { registry, replicas } = await interleaved();
    await registry.createLease({ metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await deleteNamespace(registry);
    const again = async () => {
      await registry.putLease('held', {
        ...(await registry.getLease('held')),
        metadata: { ...(await registry.getLease('held')).metadata, finalizers: [] },
      });
      await madeAgain(registry);
    };
    replicas.afterNext('list', LEASES, () => Promise.resolve(replicas.afterNext('list', LEASES, again)));
    await controllerOf(registry);
    await untouched(registry);
  });
});
