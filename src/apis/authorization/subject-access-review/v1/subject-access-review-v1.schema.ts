import { reviewSchema, subjectAccessReviewSpecSchema, subjectAccessReviewStatusSchema } from '../../authorization.schema.js';

/** authorization.k8s.io/v1 SubjectAccessReview. */
export const subjectAccessReviewV1Schema = reviewSchema(
  'SubjectAccessReview',
  'A request to check whether a user may perform an action.',
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
);
