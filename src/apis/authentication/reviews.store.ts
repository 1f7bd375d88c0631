import { Inject, Injectable } from '@nestjs/common';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import { objectFields } from '../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, bool, field, list, requiredField, string, struct } from '../../apimachinery/schema/struct-type.js';
import { AuthenticationError } from '../../auth/authentication/authenticator.js';
import { TokenVerifier } from '../../auth/authentication/bearer-authenticator.js';
import { timestamp } from '../../registry/objects/object-values.js';
import { reviewDefinition } from '../../registry/resource/resource-definition.js';
import { ReviewStore } from '../../registry/review-store.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { AUTHENTICATION_GROUP, AUTHENTICATION_V1, userInfoObject, userInfoSchema } from './authentication.schema.js';

const specSchema = struct(`${AUTHENTICATION_V1}.TokenReviewSpec`, 'The token to review.', [
  { ...field('token', 1, string(), 'omitEmpty', 'The bearer token.'), required: true },
  field('audiences', 2, list(string()), 'omitEmpty', 'Audiences of which the token must have one; by default this server.'),
]);

const statusSchema = struct(`${AUTHENTICATION_V1}.TokenReviewStatus`, 'The result of a review.', [
  field('authenticated', 1, bool(), 'omitEmpty', 'Whether the token is valid.'),
  field('user', 2, userInfoSchema, 'always', 'The user of the token.'),
  field('audiences', 4, list(string()), 'omitEmpty', 'The requested audiences that the token has.'),
  field('error', 3, string(), 'omitEmpty', 'Why the token could not be checked.'),
]);

const tokenReviewV1Schema = struct(`${AUTHENTICATION_V1}.TokenReview`, 'A request to validate a token and identify its user.', [
  ...objectFields('Standard metadata, which is not used.'),
  requiredField('spec', 2, specSchema, 'The question.'),
  field('status', 3, statusSchema, 'always', 'The result, filled in by the server.'),
]);

/** authentication.k8s.io/v1 TokenReview. */
export type TokenReview = TypeOf<typeof tokenReviewV1Schema>;

const tokenReviewDefinition = reviewDefinition<TokenReview>({
  group: AUTHENTICATION_GROUP,
  kind: 'TokenReview',
  namespaced: false,
  schema: tokenReviewV1Schema,
  example: { metadata: {}, spec: { token: 'some-token' } },
});

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

const selfSubjectReviewStatusV1Schema = struct(`${AUTHENTICATION_V1}.SelfSubjectReviewStatus`, 'The result of a review.', [
  field('userInfo', 1, userInfoSchema, 'always', 'The user who sent the request.'),
]);

const selfSubjectReviewV1Schema = struct(`${AUTHENTICATION_V1}.SelfSubjectReview`, 'A request for the identity of the user who sends it.', [
  ...objectFields('Standard metadata, which is not used.'),
  field('status', 2, selfSubjectReviewStatusV1Schema, 'always', 'The result, filled in by the server.'),
]);

/** authentication.k8s.io/v1 SelfSubjectReview. */
export type SelfSubjectReview = TypeOf<typeof selfSubjectReviewV1Schema>;

const selfSubjectReviewDefinition = reviewDefinition<SelfSubjectReview>({
  group: AUTHENTICATION_GROUP,
  kind: 'SelfSubjectReview',
  namespaced: false,
  schema: selfSubjectReviewV1Schema,
  example: { metadata: {} },
});

/** Answers a SelfSubjectReview with the requesting user. The response is a new object that takes nothing from the request. */
@Injectable()
export class SelfSubjectReviewStore extends ReviewStore<SelfSubjectReview> {
  static readonly definition = selfSubjectReviewDefinition;

  constructor(@Inject(CLOCK) now: Clock) {
    super({
      definition: selfSubjectReviewDefinition,
      answer: (_review, { user }) => ({
        metadata: { creationTimestamp: timestamp(now()) },
        status: { userInfo: userInfoObject(user) },
      }),
      now,
    });
  }
}
