import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { ResourceVersionDefinition } from './resource-definition.js';

/** A copy whose first two levels may be written to; deeper values are shared and are replaced, never changed. */
export function ownCopy<O extends KubeObject>(object: O): O {
  return { ...object, metadata: { ...object.metadata } };
}

export function withoutManagedFields<O extends KubeObject>(object: O): O {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The hub form of an object in a version's shape. May share parts with it. */
export function toHub<T extends KubeObject>(version: ResourceVersionDefinition, object: KubeObject): T {
  return (version.toHub ? version.toHub(object) : object) as T;
}

/** A hub object in a version's shape. May share parts with it. */
export function fromHub(version: ResourceVersionDefinition, hub: KubeObject): KubeObject {
  return version.fromHub ? version.fromHub(hub) : hub;
}
