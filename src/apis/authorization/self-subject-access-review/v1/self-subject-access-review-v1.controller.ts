import { createReviewController } from '../../../../endpoints/review-controller.js';
import { selfSubjectAccessReviewDefinition } from '../self-subject-access-review.resource.js';

/** authorization.k8s.io/v1 selfsubjectaccessreviews. */
export class SelfSubjectAccessReviewV1Controller extends createReviewController(selfSubjectAccessReviewDefinition) {}
