import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';
import { NO_LIFE } from './strategy.js';
import { type ResourceDefinition, type ResourceVersionDefinition, defineResource } from './resource-definition.js';

export interface ReviewOptions extends Pick<ResourceDefinition, 'group' | 'kind' | 'namespaced'> {
  /** Wire type of v1, its only version. */
  readonly schema: StructType;
  /** An example for the documentation; see ResourceVersionDefinition. */
  readonly example: NonNullable<ResourceVersionDefinition['example']>;
}

/** Definition of a review: a resource whose objects are POSTed, answered and not stored. */
export function reviewDefinition<T extends KubeObject>({ schema, example, ...names }: ReviewOptions): ResourceDefinition<T> {
  return defineResource<T>({ ...names, verbs: ['create'], versions: [{ name: 'v1', schema, example }], strategy: NO_LIFE, columns: [] });
}
