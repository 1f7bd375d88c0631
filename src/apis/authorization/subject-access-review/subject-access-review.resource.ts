import { reviewDefinition } from '../../../registry/resource/review-definition.js';
import type { AccessReview } from '../access-review.js';
import { AUTHORIZATION_GROUP } from '../access-review.js';
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
