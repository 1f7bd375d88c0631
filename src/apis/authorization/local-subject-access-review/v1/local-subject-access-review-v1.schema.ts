import { reviewSchema, subjectAccessReviewSpecSchema, subjectAccessReviewStatusSchema } from '../../authorization.schema.js';

/** authorization.k8s.io/v1 LocalSubjectAccessReview. */
export const localSubjectAccessReviewV1Schema = reviewSchema(
  'LocalSubjectAccessReview',
  'Asks whether somebody may do something in one namespace.',
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
);
