import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import { reviewDefinition } from '../../../registry/resource/review-definition.js';
import { AUTHENTICATION_GROUP } from '../authentication.schema.js';
import { tokenReviewV1Schema } from './v1/token-review-v1.schema.js';

/** authentication.k8s.io/v1 TokenReview. */
export type TokenReview = TypeOf<typeof tokenReviewV1Schema>;

export const tokenReviewDefinition = reviewDefinition<TokenReview>({
  group: AUTHENTICATION_GROUP,
  resource: 'tokenreviews',
  kind: 'TokenReview',
  namespaced: false,
  schema: tokenReviewV1Schema,
  example: { metadata: {}, spec: { token: 'some-token' } },
});
