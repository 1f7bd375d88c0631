import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import { reviewDefinition } from '../../../registry/resource/review-definition.js';
import { AUTHENTICATION_GROUP } from '../authentication.schema.js';
import { selfSubjectReviewV1Schema } from './v1/self-subject-review-v1.schema.js';

/** authentication.k8s.io/v1 SelfSubjectReview. */
export type SelfSubjectReview = TypeOf<typeof selfSubjectReviewV1Schema>;

export const selfSubjectReviewDefinition = reviewDefinition<SelfSubjectReview>({
  group: AUTHENTICATION_GROUP,
  resource: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
  schema: selfSubjectReviewV1Schema,
  example: { metadata: {} },
});
