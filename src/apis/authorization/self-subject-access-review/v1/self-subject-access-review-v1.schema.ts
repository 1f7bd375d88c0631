import { reviewSchema, selfSubjectAccessReviewSpecSchema, subjectAccessReviewStatusSchema } from '../../authorization.schema.js';

/** authorization.k8s.io/v1 SelfSubjectAccessReview. */
export const selfSubjectAccessReviewV1Schema = reviewSchema(
  'SelfSubjectAccessReview',
  'Asks whether the asker may do something.',
  selfSubjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
);
