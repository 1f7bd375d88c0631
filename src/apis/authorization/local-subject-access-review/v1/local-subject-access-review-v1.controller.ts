import { createReviewController } from '../../../../endpoints/review-controller.js';
import { localSubjectAccessReviewDefinition } from '../local-subject-access-review.resource.js';

/** authorization.k8s.io/v1 localsubjectaccessreviews. */
export class LocalSubjectAccessReviewV1Controller extends createReviewController(localSubjectAccessReviewDefinition) {}
