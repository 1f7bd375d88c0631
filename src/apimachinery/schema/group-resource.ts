/** A resource in a group, which is empty for core: `leases` in `coordination.k8s.io`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `leases.coordination.k8s.io`, or `namespaces` for the core group. */
export function qualifiedResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `coordination.k8s.io/v1`, or `v1` for the core group. */
export function groupVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Go's GroupVersionKind.String. An unparsable apiVersion is printed as empty. */
export function renderGroupVersionKind({ kind, apiVersion }: { kind: string; apiVersion: unknown }): string {
  const parts = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  // An unparsable apiVersion drops the kind too (apimachinery unstructured GroupVersionKind).
  if (parts.length > 2) return '/, Kind=';
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  return `${group}/${version}, Kind=${kind}`;
}
