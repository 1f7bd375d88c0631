import type { ObjectMeta } from '../../../apimachinery/meta/object-meta.js';

/** An annotation of bootstrap objects: `false` makes the server leave one alone when it starts. */
export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/** Name, namespace and marks of an object that the server makes sure of. */
export function bootstrapMetadata(name: string, labels: Readonly<Record<string, string>> = {}, namespace?: string): ObjectMeta {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [AUTO_UPDATE]: 'true' },
  };
}
