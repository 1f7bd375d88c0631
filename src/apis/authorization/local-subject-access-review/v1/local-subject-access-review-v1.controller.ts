import { ApiTags } from '@nestjs/swagger';
import { createReviewController } from '../../../../endpoints/review-controller.js';
import { localSubjectAccessReviewDefinition } from '../local-subject-access-review.resource.js';

/** authorization.k8s.io/v1 localsubjectaccessreviews. */
@ApiTags('authorization_v1')
export class LocalSubjectAccessReviewV1Controller extends createReviewController(localSubjectAccessReviewDefinition) {}
