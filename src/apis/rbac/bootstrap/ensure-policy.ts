import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../../apimachinery/errors/api-error.js';
import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import type { BindingObject, Subject } from '../../../auth/authorization/rbac.schema.js';
import { missingRights } from '../../../auth/authorization/rbac/rule-coverage.js';
import { API_SERVER, systemContext } from '../../../registry/resource/request-context.js';
import type { RequestTarget, ResourceStore } from '../../../registry/resource/resource-store.js';
import type { ClusterRole } from '../role/role.schema.js';
import {
  AUTO_UPDATE,
  BOOTSTRAP_CLUSTER_ROLES,
  BOOTSTRAP_CLUSTER_ROLE_BINDINGS,
  BOOTSTRAP_ROLES,
  BOOTSTRAP_ROLE_BINDINGS,
} from './bootstrap-policy.js';
import type { PolicyStores } from './policy.module.js';

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

/** The action for a bootstrap object: none, a write of `object`, or a deletion and new creation because it binds another role. */
type Reconciled<T> = { readonly action: 'none' | 'recreate' } | { readonly action: 'update'; readonly object: T };

/**
 * An existing role completed by the missing parts of the expected one; additions are kept (component-helpers auth/rbac/reconciliation). A
 * role annotated against updates is left alone.
 */
export function reconciledRole(existing: ClusterRole, expected: ClusterRole): Reconciled<ClusterRole> {
  const rules = [...(existing.rules ?? []), ...(missingRights(existing.rules ?? [], expected.rules ?? []) ?? [])];
  const selectors = existing.aggregationRule?.clusterRoleSelectors ?? [];
  const missing = (expected.aggregationRule?.clusterRoleSelectors ?? []).filter(
    (wanted) => !selectors.some((each) => isDeepStrictEqual(each, wanted)),
  );
  const { aggregationRule: _, ...rest } = existing;
  const next: ClusterRole = { ...rest, metadata: mergedMetadata(existing, expected) };
  if (rules.length > 0) next.rules = rules;
  if (expected.aggregationRule) next.aggregationRule = { clusterRoleSelectors: [...selectors, ...missing] };
  return compared(existing, next);
}

/** An existing binding completed by the expected subjects. */
export function reconciledBinding(existing: BindingObject, expected: BindingObject): Reconciled<BindingObject> {
  const next = { ...existing, metadata: mergedMetadata(existing, expected) };
  if (!isProtected(existing) && !isDeepStrictEqual(existing.roleRef, expected.roleRef)) return { action: 'recreate' };
  const subjects = existing.subjects ?? [];
  const missing = (expected.subjects ?? []).filter((wanted) => !subjects.some((each) => sameSubject(each, wanted)));
  if (missing.length > 0) next.subjects = [...subjects, ...missing];
  return compared(existing, next);
}

function compared<T extends KubeObject>(existing: T, next: T): Reconciled<T> {
  return isProtected(existing) || isDeepStrictEqual(existing, next) ? { action: 'none' } : { action: 'update', object: next };
}

function isProtected({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[AUTO_UPDATE] === 'false';
}

/** Existing labels and annotations win. */
function mergedMetadata({ metadata }: KubeObject, { metadata: expected }: KubeObject) {
  return {
    ...metadata,
    labels: { ...expected.labels, ...metadata.labels },
    annotations: { ...expected.annotations, ...metadata.annotations },
  };
}

function sameSubject(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && a.name === b.name && (a.apiGroup ?? '') === (b.apiGroup ?? '') && (a.namespace ?? '') === (b.namespace ?? '');
}
