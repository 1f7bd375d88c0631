import { reviewDefinition } from '../../../registry/resource/review-definition.js';
import type { AccessReview } from '../access-review.js';
import { AUTHORIZATION_GROUP } from '../access-review.js';
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
