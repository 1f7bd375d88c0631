import { createReviewController } from '../../../../endpoints/review-controller.js';
import { subjectAccessReviewDefinition } from '../subject-access-review.resource.js';

/** authorization.k8s.io/v1 subjectaccessreviews. */
export class SubjectAccessReviewV1Controller extends createReviewController(subjectAccessReviewDefinition) {}
