import { reviewSchema, selfSubjectAccessReviewSpecSchema, subjectAccessReviewStatusSchema } from '../../authorization.schema.js';

/** authorization.k8s.io/v1 SelfSubjectAccessReview. */
export const selfSubjectAccessReviewV1Schema = reviewSchema(
  'SelfSubjectAccessReview',
  'A request to check whether the user who sends it may perform an action.',
  selfSubjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
);
