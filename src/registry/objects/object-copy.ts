import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { ResourceVersionDefinition } from '../resource/resource-definition.js';

/** Copies the object and its metadata; deeper values are shared and must be replaced, never changed in place. */
export function ownCopy<O extends KubeObject>(object: O): O {
  return { ...object, metadata: { ...object.metadata } };
}

/** Copies the object and its metadata without managedFields; deeper values are shared. */
export function withoutManagedFields<O extends KubeObject>(object: O): O {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Converts an object from a version's shape to the hub type. The result may share parts with its argument. */
export function toHub<T extends KubeObject>(version: ResourceVersionDefinition, object: KubeObject): T {
  return (version.toHub ? version.toHub(object) : object) as T;
}

/** Converts a hub object to a version's shape. The result may share parts with its argument. */
export function fromHub(version: ResourceVersionDefinition, hub: KubeObject): KubeObject {
  return version.fromHub ? version.fromHub(hub) : hub;
}
