import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ManualScheduler, settle } from '../../test/support/manual-scheduler.js';
import { WRITE } from '../../test/support/registry-fixture.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import { ensureNamespaces } from '../apis/core/namespace/ensure-namespaces.js';
import { namespaceDefinition } from '../apis/core/namespace/namespace.resource.js';
import { ensurePolicy } from '../apis/rbac/bootstrap/ensure-policy.js';
import type { ClusterRole } from '../apis/rbac/cluster-role/cluster-role.js';
import { clusterRoleBindingDefinition } from '../apis/rbac/cluster-role-binding/cluster-role-binding.resource.js';
import { clusterRoleDefinition } from '../apis/rbac/cluster-role/cluster-role.resource.js';
import { roleBindingDefinition } from '../apis/rbac/role-binding/role-binding.resource.js';
import { roleDefinition } from '../apis/rbac/role/role.resource.js';
import { PolicyIndex } from '../auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../auth/authorization/rbac/rbac-authorizer.js';
import { AdmissionChain } from '../registry/admission/admission.js';
import { GenericResourceStore } from '../registry/generic-resource-store.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { ResourceStore } from '../registry/resource-store.js';
import { systemContext } from '../registry/system-context.js';
import { MemoryStore } from '../storage/memory-store.js';
import { ClusterRoleAggregationController } from './cluster-role-aggregation.controller.js';
import { PolicyFeed } from './policy-feed.js';

const LEASES = { verbs: ['get'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] };

class Fixture {
  readonly scheduler = new ManualScheduler();
  readonly #objects = new MemoryStore({ scheduler: this.scheduler });
  readonly namespaces = this.#store(namespaceDefinition);
  readonly roles = this.#store(roleDefinition);
  readonly clusterRoles = this.#store(clusterRoleDefinition);
  readonly roleBindings = this.#store(roleBindingDefinition);
  readonly clusterRoleBindings = this.#store(clusterRoleBindingDefinition);
  readonly #index = new PolicyIndex();
  readonly authorizer = new RbacAuthorizer(this.#index);
  readonly shared = { scheduler: this.scheduler, logger: pino({ enabled: false }) };
  readonly feed = new PolicyFeed({
    ...this.shared,
    index: this.#index,
    roles: [this.roles, this.clusterRoles],
    bindings: [this.roleBindings, this.clusterRoleBindings],
  });

  #store<T extends KubeObject>(definition: ResourceDefinition<T>): GenericResourceStore<T> {
    return new GenericResourceStore({ definition, objects: this.#objects, admission: new AdmissionChain([]), now: () => 0 });
  }

  create<T extends KubeObject>(store: ResourceStore<T>, object: T): Promise<unknown> {
    return store.create(systemContext('test'), { version: store.definition.storageVersion, namespace: '', name: '' }, object, WRITE);
  }

  remove<T extends KubeObject>(store: ResourceStore<T>, name: string): Promise<unknown> {
    const target = { version: store.definition.storageVersion, namespace: '', name };
    return store.delete(systemContext('test'), target, { dryRun: false });
  }

  async clusterRole(name: string): Promise<ClusterRole> {
    const target = { version: clusterRoleDefinition.storageVersion, namespace: '', name };
    return JSON.parse((await this.clusterRoles.get(target, { resourceVersion: '' })).data) as ClusterRole;
  }

  mayGet(user: string, ...groups: string[]): boolean {
    const rest = { apiVersion: 'v1', namespace: '', subresource: '', name: 'x', path: '' };
    const attributes = { isResourceRequest: true, verb: 'get', apiGroup: 'coordination.k8s.io', resource: 'leases', ...rest };
    return this.authorizer.authorize({ name: user, uid: '', groups, extra: {} }, attributes).allowed;
  }
}

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function started(): Promise<Fixture> {
  const fixture = new Fixture();
  await ensureNamespaces(fixture.namespaces);
  await ensurePolicy(fixture);
  stops.push(() => fixture.feed.stop());
  await fixture.feed.start();
  return fixture;
}

const binding = {
  metadata: { name: 'b' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' }],
};

describe('PolicyFeed', () => {
  it('has read everything once it has started', async () => {
    const fixture = await started();
    expect(fixture.mayGet('system:anonymous', 'system:unauthenticated')).toBe(false);
    expect(fixture.mayGet('root', 'system:masters')).toBe(true);
  });

  it('follows roles and bindings as they come and go', async () => {
    const fixture = await started();
    await fixture.create(fixture.clusterRoleBindings, binding);
    await fixture.create(fixture.clusterRoles, { metadata: { name: 'r' }, rules: [LEASES] });
    await settle();
    expect(fixture.mayGet('ann')).toBe(true);
    await fixture.remove(fixture.clusterRoles, 'r');
    await settle();
    expect(fixture.mayGet('ann')).toBe(false);
    await fixture.create(fixture.clusterRoles, { metadata: { name: 'r' }, rules: [LEASES] });
    await fixture.remove(fixture.clusterRoleBindings, 'b');
    await settle();
    expect(fixture.mayGet('ann')).toBe(false);
  });
});

describe('ensurePolicy', () => {
  it('changes nothing the second time, and brings back what was taken away', async () => {
    const fixture = await started();
    const before = await fixture.clusterRole('system:basic-user');
    await fixture.remove(fixture.clusterRoleBindings, 'cluster-admin');
    await ensurePolicy(fixture);
    await settle();
    expect(await fixture.clusterRole('system:basic-user')).toEqual(before);
    expect(fixture.mayGet('root', 'system:masters')).toBe(true);
  });
});

describe('ClusterRoleAggregationController', () => {
  it('gathers the rules of labelled roles, through several levels, and drops them again', async () => {
    const fixture = await started();
    const controller = new ClusterRoleAggregationController({ ...fixture.shared, clusterRoles: fixture.clusterRoles });
    stops.push(() => controller.stop());
    await controller.start();
    await fixture.create(fixture.clusterRoles, {
      metadata: { name: 'more', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [LEASES],
    });
    await fixture.scheduler.pass(1000);
    for (const name of ['view', 'edit', 'admin']) expect((await fixture.clusterRole(name)).rules).toContainEqual(LEASES);
    await fixture.remove(fixture.clusterRoles, 'more');
    await fixture.scheduler.pass(1000);
    for (const name of ['view', 'edit', 'admin']) expect((await fixture.clusterRole(name)).rules).not.toContainEqual(LEASES);
  });
});
