import type { ObjectKey } from '../storage/object-store.js';

/** The resource of namespaces, as the key space of storage knows it. */
export const NAMESPACE_RESOURCE = 'namespaces';

/** Where the namespace of this name is stored: the container of everything in it. */
export function namespaceKey(name: string): ObjectKey {
  return { resource: NAMESPACE_RESOURCE, namespace: '', name };
}
