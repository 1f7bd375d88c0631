import { reviewDefinition } from '../../../registry/resource/review-definition.js';
import type { AccessReview } from '../access-review.js';
import { AUTHORIZATION_GROUP } from '../access-review.js';
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
