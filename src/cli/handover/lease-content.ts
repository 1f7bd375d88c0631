import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import type { HandedLease } from './handed-lease.js';

/** What both sides have in common of a lease: everything but the fields that a server assigns. */
export function contentOf({ metadata = {}, spec }: HandedLease): HandedLease {
  const { name, namespace, labels, annotations, ownerReferences, finalizers } = metadata;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: omitEmpty({ name, namespace, labels, annotations, ownerReferences, finalizers }),
    spec: spec ?? {},
  };
}

export function sameContent(one: HandedLease, other: HandedLease): boolean {
  return canonical(contentOf(one)) === canonical(contentOf(other));
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
