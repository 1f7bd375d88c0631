import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import { missingRights } from '../../../auth/authorization/rbac/rule-coverage.js';
import type { BindingObject, Subject } from '../../../auth/authorization/rbac.schema.js';
import type { ClusterRole } from '../role/role.schema.js';
import { AUTO_UPDATE } from './bootstrap-metadata.js';

/** The action for a bootstrap object: none, a write of `object`, or a deletion and new creation because it binds another role. */
export type Reconciled<T> = { readonly action: 'none' | 'recreate' } | { readonly action: 'update'; readonly object: T };

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
