import type { Authorizer } from '../../../auth/authorization/authorizer.js';
import { reviewDefinition } from '../../../registry/review-definition.js';
import { ReviewStore } from '../../../registry/review-store.js';
import type { AccessReview } from '../access-review.js';
import { AUTHORIZATION_GROUP } from '../access-review.js';
import { validateSelfSubjectAccessReview } from '../access-review.validation.js';
import { accessReviewer } from '../review-access.js';
import { selfSubjectAccessReviewV1Schema } from './v1/self-subject-access-review-v1.schema.js';

export const selfSubjectAccessReviewDefinition = reviewDefinition<AccessReview>({
  group: AUTHORIZATION_GROUP,
  resource: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
  schema: selfSubjectAccessReviewV1Schema,
  example: {
    metadata: {},
    spec: { resourceAttributes: { group: 'coordination.k8s.io', resource: 'leases', verb: 'update', namespace: 'default' } },
  },
});

/** Asks whether the asker may do something: answered by the server's authorizer. */
export function selfSubjectAccessReviewStore(authorizer: Authorizer, now: () => number): ReviewStore<AccessReview> {
  const answer = accessReviewer(authorizer, validateSelfSubjectAccessReview, (_spec, { user }) => user);
  return new ReviewStore({ definition: selfSubjectAccessReviewDefinition, answer, now });
}
