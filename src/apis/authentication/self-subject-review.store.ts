import { Inject, Injectable } from '@nestjs/common';
import { objectFields } from '../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, field, struct } from '../../apimachinery/schema/struct-type.js';
import { timestamp } from '../../registry/objects/object-values.js';
import { reviewDefinition } from '../../registry/resource/resource-definition.js';
import { ReviewStore } from '../../registry/review-store.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { AUTHENTICATION_GROUP, AUTHENTICATION_V1, userInfoObject, userInfoSchema } from './authentication.schema.js';

const selfSubjectReviewStatusV1Schema = struct(`${AUTHENTICATION_V1}.SelfSubjectReviewStatus`, 'The result of a review.', [
  field('userInfo', 1, userInfoSchema, 'always', 'The user who sent the request.'),
]);

const selfSubjectReviewV1Schema = struct(`${AUTHENTICATION_V1}.SelfSubjectReview`, 'A request for the identity of the user who sends it.', [
  ...objectFields('Standard metadata, which is not used.'),
  field('status', 2, selfSubjectReviewStatusV1Schema, 'always', 'The result, filled in by the server.'),
]);

/** authentication.k8s.io/v1 SelfSubjectReview. */
export type SelfSubjectReview = TypeOf<typeof selfSubjectReviewV1Schema>;

const selfSubjectReviewDefinition = reviewDefinition<SelfSubjectReview>({
  group: AUTHENTICATION_GROUP,
  kind: 'SelfSubjectReview',
  namespaced: false,
  schema: selfSubjectReviewV1Schema,
  example: { metadata: {} },
});

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
