import { ApiError } from '../../../apimachinery/errors/api-error.js';
import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import type { RequestTarget, ResourceStore } from '../../../registry/resource/resource-store.js';
import { API_SERVER, systemContext } from '../../../registry/resource/request-context.js';
import type { ClusterRole } from '../role/role.schema.js';
import { BOOTSTRAP_CLUSTER_ROLE_BINDINGS, BOOTSTRAP_ROLE_BINDINGS, BOOTSTRAP_ROLES } from './bootstrap-bindings.js';
import { BOOTSTRAP_CLUSTER_ROLES } from './bootstrap-cluster-roles.js';
import type { PolicyStores } from './policy.module.js';
import { type Reconciled, reconciledBinding, reconciledRole } from './reconciled-object.js';

const WRITE = { dryRun: false, fieldManager: API_SERVER, fieldValidation: 'Ignore' } as const;
/** The number of attempts at a write that conflicts with others. */
const ATTEMPTS = 5;

type Reconcile<T> = (existing: T, expected: T) => Reconciled<T>;

/** Creates missing bootstrap roles and bindings, and completes existing ones; every server process does so at start. */
export async function ensurePolicy(stores: PolicyStores, added: readonly ClusterRole[] = []): Promise<void> {
  await Promise.all([
    ...[...BOOTSTRAP_CLUSTER_ROLES, ...added].map((role) => ensure(stores.clusterRoles, role, reconciledRole)),
    ...BOOTSTRAP_ROLES.map((role) => ensure(stores.roles, role, reconciledRole)),
  ]);
  await Promise.all([
    ...BOOTSTRAP_CLUSTER_ROLE_BINDINGS.map((binding) => ensure(stores.clusterRoleBindings, binding, reconciledBinding)),
    ...BOOTSTRAP_ROLE_BINDINGS.map((binding) => ensure(stores.roleBindings, binding, reconciledBinding)),
  ]);
}

async function ensure<T extends KubeObject>(store: ResourceStore<T>, expected: T, reconcile: Reconcile<T>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(store, expected, reconcile);
    } catch (error) {
      // Another replica was faster, or another client writes at the same time.
      const raced = error instanceof ApiError && ['AlreadyExists', 'Conflict', 'NotFound'].includes(error.status.reason ?? '');
      if (!raced || attempt === ATTEMPTS) throw error;
    }
  }
}

async function attemptOnce<T extends KubeObject>(store: ResourceStore<T>, expected: T, reconcile: Reconcile<T>): Promise<void> {
  const { name = '', namespace = '' } = expected.metadata;
  const target: RequestTarget = { version: store.definition.storageVersion, namespace, name };
  const context = systemContext(API_SERVER);
  const existing = await find(store, target);
  if (!existing) return void (await store.create(context, { ...target, name: '' }, expected, WRITE));
  const result = reconcile(existing, expected);
  if (result.action === 'none') return;
  if (result.action === 'update') {
    const source = { next: () => result.object, mayCreate: false, tracksFields: 'update', retries: false } as const;
    return void (await store.update(context, target, source, WRITE));
  }
  const { uid, resourceVersion } = existing.metadata;
  await store.delete(context, target, { dryRun: false, uid, resourceVersion });
  await store.create(context, { ...target, name: '' }, expected, WRITE);
}

async function find<T extends KubeObject>(store: ResourceStore<T>, target: RequestTarget): Promise<T | undefined> {
  try {
    const { data, revision } = await store.get(target, { resourceVersion: '' });
    const object = JSON.parse(data) as T;
    object.metadata.resourceVersion = String(revision);
    return object;
  } catch (error) {
    if (error instanceof ApiError && error.status.reason === 'NotFound') return undefined;
    throw error;
  }
}
