import { ApiTags } from '@nestjs/swagger';
import { createReviewController } from '../../../../endpoints/review-controller.js';
import { tokenReviewDefinition } from '../token-review.resource.js';

/** authentication.k8s.io/v1 tokenreviews. */
@ApiTags('authentication_v1')
export class TokenReviewV1Controller extends createReviewController(tokenReviewDefinition) {}
