import { ApiTags } from '@nestjs/swagger';
import { createReviewController } from '../../../../endpoints/review-controller.js';
import { selfSubjectAccessReviewDefinition } from '../self-subject-access-review.resource.js';

/** authorization.k8s.io/v1 selfsubjectaccessreviews. */
@ApiTags('authorization_v1')
export class SelfSubjectAccessReviewV1Controller extends createReviewController(selfSubjectAccessReviewDefinition) {}
