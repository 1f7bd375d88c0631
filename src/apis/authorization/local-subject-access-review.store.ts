import { Inject, Injectable } from '@nestjs/common';
import type { Authorizer } from '../../auth/authorization/authorizer.js';
import { AUTHORIZER } from '../../auth/authorization/authorizer.js';
import { reviewDefinition } from '../../registry/resource/review-definition.js';
import { ReviewStore } from '../../registry/review-store.js';
import type { Clock } from '../../telemetry/clock.js';
import { CLOCK } from '../../telemetry/clock.js';
import { validateLocalSubjectAccessReview } from './access-review.validation.js';
import type { AccessReview } from './authorization.schema.js';
import {
  AUTHORIZATION_GROUP,
  reviewSchema,
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
} from './authorization.schema.js';
import { accessReviewer, namedUser } from './review-access.js';

/** authorization.k8s.io/v1 LocalSubjectAccessReview. */
const localSubjectAccessReviewV1Schema = reviewSchema(
  'LocalSubjectAccessReview',
  'A request to check whether a user may perform an action in one namespace.',
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
);

const localSubjectAccessReviewDefinition = reviewDefinition<AccessReview>({
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

/** Answers whether a user may do something in one namespace, by the server's authorizer. */
@Injectable()
export class LocalSubjectAccessReviewStore extends ReviewStore<AccessReview> {
  static readonly definition = localSubjectAccessReviewDefinition;

  constructor(@Inject(AUTHORIZER) authorizer: Authorizer, @Inject(CLOCK) now: Clock) {
    super({
      definition: localSubjectAccessReviewDefinition,
      answer: accessReviewer(authorizer, validateLocalSubjectAccessReview, namedUser),
      now,
    });
  }
}
