import type { BindingObject } from '../../src/auth/authorization/rbac.schema.js';
import { pino } from 'pino';
import type { KubeObject } from '../../src/apimachinery/meta/object-meta.schema.js';
import { namespaceDefinition } from '../../src/apis/core/namespace/namespace.resource.js';
import { clusterRoleBindingDefinition, roleBindingDefinition } from '../../src/apis/rbac/binding/binding.resource.js';
import type { ClusterRole } from '../../src/apis/rbac/role/role.schema.js';
import { clusterRoleDefinition, roleDefinition } from '../../src/apis/rbac/role/role.resource.js';
import { PolicyIndex } from '../../src/auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../../src/auth/authorization/rbac/rbac-authorizer.js';
import { PolicyInformer } from '../../src/controllers/access/access-informers.js';
import { AdmissionChain } from '../../src/registry/admission/admission.js';
import { GenericResourceStore } from '../../src/registry/generic-resource-store.js';
import type { ResourceDefinition } from '../../src/registry/resource/resource-definition.js';
import type { ResourceStore } from '../../src/registry/resource/resource-store.js';
import { systemContext } from '../../src/registry/resource/request-context.js';
import { WatchedMemoryStore } from './watched-memory-store.js';
import { InterleavedStore } from './interleaved-store.js';
import { ManualScheduler } from './manual-scheduler.js';
import { WRITE } from './registry-fixture.js';

/** Roles and bindings over a WatchedMemoryStore that another replica may change first, with this replica's index and informer. */
export class PolicyFixture {
  readonly scheduler = new ManualScheduler();
  readonly #memory = new WatchedMemoryStore({ scheduler: this.scheduler });
  readonly replicas = new InterleavedStore(this.#memory);
  readonly namespaces = this.#store(namespaceDefinition);
  readonly roles = this.#store(roleDefinition);
  readonly clusterRoles = this.#store(clusterRoleDefinition);
  readonly roleBindings = this.#store(roleBindingDefinition);
  readonly clusterRoleBindings = this.#store(clusterRoleBindingDefinition);
  readonly #index = new PolicyIndex();
  readonly authorizer = new RbacAuthorizer(this.#index);
  readonly shared = { scheduler: this.scheduler, logger: pino({ enabled: false }) };
  readonly informer = new PolicyInformer({
    ...this.shared,
    index: this.#index,
    roles: [this.roles, this.clusterRoles],
    bindings: [this.roleBindings, this.clusterRoleBindings],
  });

  #store<T extends KubeObject>(definition: ResourceDefinition<T>): GenericResourceStore<T> {
    return new GenericResourceStore({ definition, objects: this.replicas.store(), admission: new AdmissionChain([]), now: () => 0 });
  }

  create<T extends KubeObject>(store: ResourceStore<T>, object: T): Promise<unknown> {
    return store.create(systemContext('test'), { version: store.definition.storageVersion, namespace: '', name: '' }, object, WRITE);
  }

  remove<T extends KubeObject>(store: ResourceStore<T>, name: string): Promise<unknown> {
    const target = { version: store.definition.storageVersion, namespace: '', name };
    return store.delete(systemContext('test'), target, { dryRun: false });
  }

  clusterRole(name: string): Promise<ClusterRole> {
    return this.#read(this.clusterRoles, name);
  }

  clusterRoleBinding(name: string): Promise<BindingObject> {
    return this.#read(this.clusterRoleBindings, name);
  }

  /** The stored object with its revision as resourceVersion. */
  async #read<T extends KubeObject>(store: ResourceStore<T>, name: string): Promise<T> {
    const target = { version: store.definition.storageVersion, namespace: '', name };
    const { data, revision } = await store.get(target, { resourceVersion: '' });
    const object = JSON.parse(data) as T;
    object.metadata.resourceVersion = String(revision);
    return object;
  }

  mayGet(user: string, ...groups: string[]): boolean {
    const rest = { apiVersion: 'v1', namespace: '', subresource: '', name: 'x', path: '' };
    const attributes = { isResourceRequest: true, verb: 'get', apiGroup: 'coordination.k8s.io', resource: 'leases', ...rest };
    return this.authorizer.authorize({ name: user, uid: '', groups, extra: {} }, attributes).allowed;
  }
}
