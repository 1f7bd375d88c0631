import { Inject, Injectable } from '@nestjs/common';
import type { Authorizer } from '../../auth/authorization/authorizer.js';
import { AUTHORIZER } from '../../auth/authorization/authorizer.js';
import { reviewDefinition } from '../../registry/resource/review-definition.js';
import { ReviewStore } from '../../registry/review-store.js';
import type { Clock } from '../../telemetry/clock.js';
import { CLOCK } from '../../telemetry/clock.js';
import { validateSubjectAccessReview } from './access-review.validation.js';
import type { AccessReview } from './authorization.schema.js';
import {
  AUTHORIZATION_GROUP,
  reviewSchema,
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
} from './authorization.schema.js';
import { accessReviewer, namedUser } from './review-access.js';

/** authorization.k8s.io/v1 SubjectAccessReview. */
const subjectAccessReviewV1Schema = reviewSchema(
  'SubjectAccessReview',
  'A request to check whether a user may perform an action.',
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
);

const subjectAccessReviewDefinition = reviewDefinition<AccessReview>({
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

/** Answers whether a user may do something, by the server's authorizer. */
@Injectable()
export class SubjectAccessReviewStore extends ReviewStore<AccessReview> {
  static readonly definition = subjectAccessReviewDefinition;

  constructor(@Inject(AUTHORIZER) authorizer: Authorizer, @Inject(CLOCK) now: Clock) {
    super({ definition: subjectAccessReviewDefinition, answer: accessReviewer(authorizer, validateSubjectAccessReview, namedUser), now });
  }
}
