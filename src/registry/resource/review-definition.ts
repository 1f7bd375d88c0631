import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';
import { NO_LIFE } from './strategy.js';
import type { ResourceDefinition, ResourceVersionDefinition } from './resource-definition.js';

export interface ReviewOptions {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Wire type of v1, its only version. */
  readonly schema: StructType;
  /** An example for the documentation; see ResourceVersionDefinition. */
  readonly example: NonNullable<ResourceVersionDefinition['example']>;
}

/** Definition of a review: a resource whose objects are POSTed, answered and not stored. */
export function reviewDefinition<T extends KubeObject>({
  group,
  resource,
  kind,
  namespaced,
  schema,
  example,
}: ReviewOptions): ResourceDefinition<T> {
  const version = { name: 'v1', schema, example };
  return {
    group,
    resource,
    singular: kind.toLowerCase(),
    kind,
    namespaced,
    shortNames: [],
    categories: [],
    verbs: ['create'],
    versions: [version],
    storageVersion: version,
    strategy: NO_LIFE,
    columns: [],
  };
}
