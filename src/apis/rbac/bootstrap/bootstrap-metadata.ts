import type { ObjectMeta } from '../../../apimachinery/meta/object-meta.schema.js';

/** An annotation of bootstrap objects: with `false`, the server does not update the object at start. */
export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/** Name, namespace, label and annotation of a bootstrap object. */
export function bootstrapMetadata(name: string, labels: Readonly<Record<string, string>> = {}, namespace?: string): ObjectMeta {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [AUTO_UPDATE]: 'true' },
  };
}
