import type { FieldError } from '../apimachinery/errors/field-error.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import { fromHub } from './object-copy.js';
import type { ResourceVersionDefinition } from './resource-definition.js';
import type { Strategy } from './strategy.js';

/** The resource's rules for a new object, by the version in which it was written. */
export function validateNew<T extends KubeObject>(
  strategy: Strategy<T>,
  version: ResourceVersionDefinition,
  next: T,
): readonly FieldError[] {
  return version.validation ? version.validation.validate(fromHub(version, next)) : strategy.validate(next);
}

/** An update, in hub objects, with the findings that every resource has in common. */
export interface ObjectChange<T extends KubeObject> {
  readonly next: T;
  readonly live: T;
  readonly changes: readonly FieldError[];
}

/** The same for an update. */
export function validateChange<T extends KubeObject>(
  strategy: Strategy<T>,
  version: ResourceVersionDefinition,
  { next, live, changes }: ObjectChange<T>,
): readonly FieldError[] {
  if (!version.validation) return strategy.validateUpdate(next, live, changes);
  return version.validation.validateUpdate(fromHub(version, next), fromHub(version, live), changes);
}
