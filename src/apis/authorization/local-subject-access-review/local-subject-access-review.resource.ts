import type { Authorizer } from '../../../auth/authorization/authorizer.js';
import { reviewDefinition } from '../../../registry/review-definition.js';
import { ReviewStore } from '../../../registry/review-store.js';
import type { AccessReview } from '../access-review.js';
import { AUTHORIZATION_GROUP } from '../access-review.js';
import { validateLocalSubjectAccessReview } from '../access-review.validation.js';
import { accessReviewer, namedUser } from '../review-access.js';
import { localSubjectAccessReviewV1Schema } from './v1/local-subject-access-review-v1.schema.js';

export const localSubjectAccessReviewDefinition = reviewDefinition<AccessReview>({
  group: AUTHORIZATION_GROUP,
  resource: 'localsubjectaccessreviews',
  kind: 'LocalSubjectAccessReview',
  namespaced: true,
  schema: localSubjectAccessReviewV1Schema,
  example: {
    metadata: { namespace: 'default' },
    spec: {
      user: 'alice',
      groups: ['dev'],
      resourceAttributes: { group: 'coordination.k8s.io', resource: 'leases', verb: 'update', namespace: 'default' },
    },
  },
});

/** Asks whether somebody may do something in one namespace: answered by the server's authorizer. */
export function localSubjectAccessReviewStore(authorizer: Authorizer, now: () => number): ReviewStore<AccessReview> {
  const answer = accessReviewer(authorizer, validateLocalSubjectAccessReview, namedUser);
  return new ReviewStore({ definition: localSubjectAccessReviewDefinition, answer, now });
}
