import { Inject, Injectable } from '@nestjs/common';
import type { Authorizer } from '../../../auth/authorization/authorizer.js';
import { AUTHORIZER } from '../../../auth/authorization/authorizer.js';
import { ReviewStore } from '../../../registry/review-store.js';
import type { Clock } from '../../../telemetry/clock.js';
import { CLOCK } from '../../../telemetry/clock.js';
import type { AccessReview } from '../access-review.js';
import { validateSelfSubjectAccessReview } from '../access-review.validation.js';
import { accessReviewer } from '../review-access.js';
import { selfSubjectAccessReviewDefinition } from './self-subject-access-review.resource.js';

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
