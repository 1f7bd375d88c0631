import { badRequest } from '../../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';
import { AuthenticationError } from '../../../auth/authentication/authentication-error.js';
import type { TokenVerifier } from '../../../auth/authentication/token-verifier.js';
import { reviewDefinition } from '../../../registry/review-definition.js';
import { ReviewStore } from '../../../registry/review-store.js';
import { AUTHENTICATION_GROUP } from '../authentication.schema.js';
import type { UserInfoObject } from '../user-info-object.js';
import { userInfoObject } from '../user-info-object.js';
import { tokenReviewV1Schema } from './v1/token-review-v1.schema.js';

export interface TokenReview extends KubeObject {
  spec?: { token?: string; audiences?: readonly string[] };
  status?: { authenticated?: boolean; user?: UserInfoObject; audiences?: readonly string[]; error?: string };
}

export const tokenReviewDefinition = reviewDefinition<TokenReview>({
  group: AUTHENTICATION_GROUP,
  resource: 'tokenreviews',
  kind: 'TokenReview',
  namespaced: false,
  schema: tokenReviewV1Schema,
  example: { metadata: {}, spec: { token: 'some-token' } },
});

/** Asks whose a token is; answered by the server's own authenticators of tokens. */
export function tokenReviewStore(verifier: TokenVerifier, now: () => number): ReviewStore<TokenReview> {
  return new ReviewStore<TokenReview>({
    definition: tokenReviewDefinition,
    answer: async (review) => ({ ...review, status: await statusOf(verifier, review) }),
    now,
  });
}

async function statusOf(verifier: TokenVerifier, { spec = {} }: TokenReview): Promise<TokenReview['status']> {
  if (!spec.token) throw badRequest('token is required for TokenReview in authentication');
  try {
    const { user, audiences } = await verifier.verify(spec.token, spec.audiences ?? []);
    return { authenticated: true, user: userInfoObject(user), audiences };
  } catch (error) {
    if (error instanceof AuthenticationError) return { error: error.message };
    throw error;
  }
}
