import { Inject, Injectable } from '@nestjs/common';
import type { Authorizer } from '../../auth/authorization/authorizer.js';
import { AUTHORIZER } from '../../auth/authorization/authorizer.js';
import { reviewDefinition } from '../../registry/resource/review-definition.js';
import { ReviewStore } from '../../registry/review-store.js';
import type { Clock } from '../../telemetry/clock.js';
import { CLOCK } from '../../telemetry/clock.js';
import { validateSelfSubjectAccessReview } from './access-review.validation.js';
import type { AccessReview } from './authorization.schema.js';
import {
  AUTHORIZATION_GROUP,
  reviewSchema,
  selfSubjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
} from './authorization.schema.js';
import { accessReviewer } from './review-access.js';

/** authorization.k8s.io/v1 SelfSubjectAccessReview. */
const selfSubjectAccessReviewV1Schema = reviewSchema(
  'SelfSubjectAccessReview',
  'A request to check whether the user who sends it may perform an action.',
  selfSubjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
);

const selfSubjectAccessReviewDefinition = reviewDefinition<AccessReview>({
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

/** Answers whether the requesting user may do something, by the server's authorizer. */
@Injectable()
export class SelfSubjectAccessReviewStore extends ReviewStore<AccessReview> {
  static readonly definition = selfSubjectAccessReviewDefinition;

  constructor(@Inject(AUTHORIZER) authorizer: Authorizer, @Inject(CLOCK) now: Clock) {
    super({
      definition: selfSubjectAccessReviewDefinition,
      answer: accessReviewer(authorizer, validateSelfSubjectAccessReview, (_spec, { user }) => user),
      now,
    });
  }
}
