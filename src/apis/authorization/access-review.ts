import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { TypeOf } from '../../apimachinery/schema/type-of.js';
import type {
  nonResourceAttributesSchema,
  resourceAttributesSchema,
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
} from './authorization.schema.js';

/** A request for resources. */
type ResourceAttributes = TypeOf<typeof resourceAttributesSchema>;

/** A selector as text or as conditions. */
export type SelectorAttributes = NonNullable<ResourceAttributes['labelSelector']>;

/** A request for a path that is not a resource. */
export type NonResourceAttributes = TypeOf<typeof nonResourceAttributesSchema>;

/** The request and the user to check; self reviews have no user. */
export type AccessReviewSpec = TypeOf<typeof subjectAccessReviewSpecSchema>;

/** The answer of an access review. */
type AccessReviewStatus = TypeOf<typeof subjectAccessReviewStatusSchema>;

/** SubjectAccessReview, LocalSubjectAccessReview and SelfSubjectAccessReview. */
export type AccessReview = KubeObject & { spec: AccessReviewSpec; status: AccessReviewStatus };

export const AUTHORIZATION_GROUP = 'authorization.k8s.io';
