import { reviewSchema, subjectAccessReviewSpecSchema, subjectAccessReviewStatusSchema } from '../../authorization.schema.js';

/** authorization.k8s.io/v1 SubjectAccessReview. */
export const subjectAccessReviewV1Schema = reviewSchema(
  'SubjectAccessReview',
  'Asks whether somebody may do something.',
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
);
