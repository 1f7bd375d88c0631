import { Inject, Injectable } from '@nestjs/common';
import { badRequest } from '../../../apimachinery/errors/status-errors.js';
import { AuthenticationError } from '../../../auth/authentication/authentication-error.js';
import { TokenVerifier } from '../../../auth/authentication/token-verifier.js';
import { ReviewStore } from '../../../registry/review-store.js';
import type { Clock } from '../../../telemetry/clock.js';
import { CLOCK } from '../../../telemetry/clock.js';
import { userInfoObject } from '../user-info-object.js';
import type { TokenReview } from './token-review.resource.js';
import { tokenReviewDefinition } from './token-review.resource.js';

/** Answers a TokenReview with the token's user, by the server's own token authenticators. */
@Injectable()
export class TokenReviewStore extends ReviewStore<TokenReview> {
  static readonly definition = tokenReviewDefinition;

  constructor(verifier: TokenVerifier, @Inject(CLOCK) now: Clock) {
    super({
      definition: tokenReviewDefinition,
      answer: async (review) => ({ ...review, status: await statusOf(verifier, review) }),
      now,
    });
  }
}

async function statusOf(verifier: TokenVerifier, { spec }: TokenReview): Promise<TokenReview['status']> {
  if (!spec.token) throw badRequest('token is required for TokenReview in authentication');
  try {
    const { user, audiences } = await verifier.verify(spec.token, spec.audiences ?? []);
    return { authenticated: true, user: userInfoObject(user), audiences };
  } catch (error) {
    if (error instanceof AuthenticationError) return { user: {}, error: error.message };
    throw error;
  }
}
