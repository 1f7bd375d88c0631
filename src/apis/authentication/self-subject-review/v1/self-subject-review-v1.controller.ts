import { createReviewController } from '../../../../endpoints/review-controller.js';
import { selfSubjectReviewDefinition } from '../self-subject-review.resource.js';

/** authentication.k8s.io/v1 selfsubjectreviews. */
export class SelfSubjectReviewV1Controller extends createReviewController(selfSubjectReviewDefinition) {}
