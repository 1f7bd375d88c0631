import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import { reviewDefinition } from '../../../registry/resource/review-definition.js';
import { AUTHORIZATION_GROUP } from '../access-review.js';
import { selfSubjectRulesReviewV1Schema } from './v1/self-subject-rules-review-v1.schema.js';

/** authorization.k8s.io/v1 SelfSubjectRulesReview. */
export type SelfSubjectRulesReview = TypeOf<typeof selfSubjectRulesReviewV1Schema>;

export const selfSubjectRulesReviewDefinition = reviewDefinition<SelfSubjectRulesReview>({
  group: AUTHORIZATION_GROUP,
  resource: 'selfsubjectrulesreviews',
  kind: 'SelfSubjectRulesReview',
  namespaced: false,
  schema: selfSubjectRulesReviewV1Schema,
  example: { metadata: {}, spec: { namespace: 'default' } },
});
