import type { ObjectKey } from '../../storage/object-store.js';

/** The resource name of namespaces in storage keys. */
export const NAMESPACE_RESOURCE = 'namespaces';

/** The storage key of a namespace, which is the container of every object in it. */
export function namespaceKey(name: string): ObjectKey {
  return { resource: NAMESPACE_RESOURCE, namespace: '', name };
}
