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
