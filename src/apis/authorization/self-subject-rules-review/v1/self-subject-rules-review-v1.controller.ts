import { createReviewController } from '../../../../endpoints/review-controller.js';
import { selfSubjectRulesReviewDefinition } from '../self-subject-rules-review.resource.js';

/** authorization.k8s.io/v1 selfsubjectrulesreviews. */
export class SelfSubjectRulesReviewV1Controller extends createReviewController(selfSubjectRulesReviewDefinition) {}
