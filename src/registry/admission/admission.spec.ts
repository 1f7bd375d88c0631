import { describe, expect, it } from '@jest/globals';
import { DRY_RUN, LIST, RegistryFixture, WRITE, leaseTarget, refusal } from '../../../test/support/registry-fixture.js';
import { leaseDefinition } from '../../apis/coordination/lease/lease.resource.js';
import { ensureNamespace } from '../../apis/core/namespace/cluster-namespaces.js';
import { GenericResourceStore } from '../generic-resource-store.js';
import { AdmissionChain, NamespaceAutoProvision, NamespaceLifecycle } from './admission.js';

function fixture() {
  const registry = new RegistryFixture();
  const { objects } = registry;
  const provision = new NamespaceAutoProvision(objects, (name) => ensureNamespace(registry.namespaces, name));
  const admission = new AdmissionChain([provision, new NamespaceLifecycle(objects)]);
  const leases = new GenericResourceStore({ definition: leaseDefinition, objects, admission, now: () => registry.nowMs });
  const create = (namespace: string, name = 'a', options = WRITE) =>
    leases.create(registry.context, leaseTarget('', namespace), { metadata: { name } }, options);
  return { registry, leases, create };
}

describe('automatic namespaces', () => {
  it('are created by the first creation of an object in them', async () => {
    const { registry, create } = fixture();
    await Promise.all([create('new', 'a'), create('new', 'b')]);
    await create('new', 'c');
    expect((await registry.leases.list(leaseTarget('', 'new'), LIST)).objects).toHaveLength(3);
  });

  it('are not created by dry runs', async () => {
    const { registry, create } = fixture();
    expect(await refusal(create('new', 'a', DRY_RUN))).toMatchObject({ code: 404, message: 'namespaces "new" not found' });
    expect(await registry.objects.list({ resource: 'namespaces' }, { consistency: { kind: 'latest' } })).toMatchObject({ objects: [] });
  });

  it('must have valid names', async () => {
    const { create } = fixture();
    expect(await refusal(create('Bad_Name'))).toMatchObject({ code: 422, details: { kind: 'Namespace', name: 'Bad_Name' } });
  });
});
