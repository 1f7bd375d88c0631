import { reviewSchema, subjectAccessReviewSpecSchema, subjectAccessReviewStatusSchema } from '../../authorization.schema.js';

/** authorization.k8s.io/v1 LocalSubjectAccessReview. */
export const localSubjectAccessReviewV1Schema = reviewSchema(
  'LocalSubjectAccessReview',
  'A request to check whether a user may perform an action in one namespace.',
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
);
