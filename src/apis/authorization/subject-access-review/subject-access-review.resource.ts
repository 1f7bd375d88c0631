import type { Authorizer } from '../../../auth/authorization/authorizer.js';
import { reviewDefinition } from '../../../registry/review-definition.js';
import { ReviewStore } from '../../../registry/review-store.js';
import type { AccessReview } from '../access-review.js';
import { AUTHORIZATION_GROUP } from '../access-review.js';
import { validateSubjectAccessReview } from '../access-review.validation.js';
import { accessReviewer, namedUser } from '../review-access.js';
import { subjectAccessReviewV1Schema } from './v1/subject-access-review-v1.schema.js';

export const subjectAccessReviewDefinition = reviewDefinition<AccessReview>({
  group: AUTHORIZATION_GROUP,
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
  schema: subjectAccessReviewV1Schema,
  example: {
    metadata: {},
    spec: {
      user: 'alice',
      groups: ['dev'],
      resourceAttributes: { group: 'coordination.k8s.io', resource: 'leases', verb: 'update', namespace: 'default' },
    },
  },
});

/** Asks whether somebody may do something: answered by the server's authorizer. */
export function subjectAccessReviewStore(authorizer: Authorizer, now: () => number): ReviewStore<AccessReview> {
  const answer = accessReviewer(authorizer, validateSubjectAccessReview, namedUser);
  return new ReviewStore({ definition: subjectAccessReviewDefinition, answer, now });
}
