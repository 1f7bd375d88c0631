import { createReviewController } from '../../../../endpoints/review-controller.js';
import { tokenReviewDefinition } from '../token-review.resource.js';

/** authentication.k8s.io/v1 tokenreviews. */
export class TokenReviewV1Controller extends createReviewController(tokenReviewDefinition) {}
