import { Inject, Injectable } from '@nestjs/common';
import { ReviewStore } from '../../../registry/review-store.js';
import { timestamp } from '../../../registry/objects/timestamp.js';
import type { Clock } from '../../../telemetry/clock.js';
import { CLOCK } from '../../../telemetry/clock.js';
import { userInfoObject } from '../user-info-object.js';
import type { SelfSubjectReview } from './self-subject-review.resource.js';
import { selfSubjectReviewDefinition } from './self-subject-review.resource.js';

/** Answers a SelfSubjectReview with the requesting user. The response is a new object that takes nothing from the request. */
@Injectable()
export class SelfSubjectReviewStore extends ReviewStore<SelfSubjectReview> {
  static readonly definition = selfSubjectReviewDefinition;

  constructor(@Inject(CLOCK) now: Clock) {
    super({
      definition: selfSubjectReviewDefinition,
      answer: (_review, { user }) => ({
        metadata: { creationTimestamp: timestamp(now()) },
        status: { userInfo: userInfoObject(user) },
      }),
      now,
    });
  }
}
