import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';
import { reviewDefinition } from '../../../registry/review-definition.js';
import { ReviewStore } from '../../../registry/review-store.js';
import { timestamp } from '../../../registry/timestamp.js';
import { AUTHENTICATION_GROUP } from '../authentication.schema.js';
import type { UserInfoObject } from '../user-info-object.js';
import { userInfoObject } from '../user-info-object.js';
import { selfSubjectReviewV1Schema } from './v1/self-subject-review-v1.schema.js';

export interface SelfSubjectReview extends KubeObject {
  status?: { userInfo: UserInfoObject };
}

export const selfSubjectReviewDefinition = reviewDefinition<SelfSubjectReview>({
  group: AUTHENTICATION_GROUP,
  resource: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
  schema: selfSubjectReviewV1Schema,
  example: { metadata: {} },
});

/** Asks who the asker is. The answer is an object of its own; nothing of the question counts. */
export function selfSubjectReviewStore(now: () => number): ReviewStore<SelfSubjectReview> {
  return new ReviewStore<SelfSubjectReview>({
    definition: selfSubjectReviewDefinition,
    answer: (_review, { user }) => ({
      metadata: { creationTimestamp: timestamp(now()) },
      status: { userInfo: userInfoObject(user) },
    }),
    now,
  });
}
