import { badRequest } from '../../errors/status-errors.js';
import { renderGroupVersionKind } from '../../schema/group-resource.js';

type Plain = Readonly<Record<string, unknown>>;

/** The kind and version of an endpoint. */
export interface ObjectIdentity {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Rejects a configuration whose kind or version differs from the endpoint's or is missing. */
export function checkAppliedIdentity(applied: Plain, expected: ObjectIdentity): void {
  if (applied['kind'] === expected.kind && applied['apiVersion'] === expected.apiVersion) return;
  const kind = typeof applied['kind'] === 'string' ? applied['kind'] : '';
  throw badRequest(`invalid object type: ${renderGroupVersionKind({ kind, apiVersion: applied['apiVersion'] })}`);
}

/** Rejects a configuration with managedFields; null is equivalent to none. */
export function checkNoManagedFields(applied: Plain): void {
  const metadata = applied['metadata'] as Plain | string | null | undefined;
  const managedFields = typeof metadata === 'object' ? metadata?.['managedFields'] : undefined;
  if (managedFields !== undefined && managedFields !== null) throw badRequest('metadata.managedFields must be nil');
}

/** Formats an object for error texts: `ns/name; coordination.k8s.io/v1, Kind=Lease`. */
export function renderObject(object: Plain, identity: ObjectIdentity): string {
  const metadata = object['metadata'];
  const { namespace, name } = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as Plain;
  return `${textOf(namespace)}/${textOf(name)}; ${renderGroupVersionKind(identity)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
