import { Inject, Injectable } from '@nestjs/common';
import type { Authorizer } from '../../../auth/authorization/authorizer.js';
import { AUTHORIZER } from '../../../auth/authorization/authorizer.js';
import { ReviewStore } from '../../../registry/review-store.js';
import type { Clock } from '../../../telemetry/clock.js';
import { CLOCK } from '../../../telemetry/clock.js';
import type { AccessReview } from '../access-review.js';
import { validateSubjectAccessReview } from '../access-review.validation.js';
import { accessReviewer, namedUser } from '../review-access.js';
import { subjectAccessReviewDefinition } from './subject-access-review.resource.js';

/** Answers whether a user may do something, by the server's authorizer. */
@Injectable()
export class SubjectAccessReviewStore extends ReviewStore<AccessReview> {
  static readonly definition = subjectAccessReviewDefinition;

  constructor(@Inject(AUTHORIZER) authorizer: Authorizer, @Inject(CLOCK) now: Clock) {
    super({ definition: subjectAccessReviewDefinition, answer: accessReviewer(authorizer, validateSubjectAccessReview, namedUser), now });
  }
}
