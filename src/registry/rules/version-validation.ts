import type { FieldError } from '../../apimachinery/errors/field-error.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { fromHub } from '../objects/object-copy.js';
import type { ResourceVersionDefinition } from '../resource/resource-definition.js';
import type { Strategy } from '../resource/strategy.js';

/** Validates a new object by the rules of the version in which it was written. */
export function validateNew<T extends KubeObject>(
  strategy: Strategy<T>,
  version: ResourceVersionDefinition,
  next: T,
): readonly FieldError[] {
  return version.validation ? version.validation.validate(fromHub(version, next)) : strategy.validate(next);
}

/** An update as hub objects. */
export interface ObjectChange<T extends KubeObject> {
  readonly next: T;
  readonly live: T;
}

/** Validates an update by the rules of the version in which it was written. */
export function validateChange<T extends KubeObject>(
  strategy: Strategy<T>,
  version: ResourceVersionDefinition,
  { next, live }: ObjectChange<T>,
): readonly FieldError[] {
  if (!version.validation) return strategy.validateUpdate(next, live);
  return version.validation.validateUpdate(fromHub(version, next), fromHub(version, live));
}
