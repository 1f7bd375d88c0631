import { objectMetaSchema } from '../../../../apimachinery/meta/object-meta.schema.js';
import { bool, field, list, requiredField, string, struct, typeMetaFields } from '../../../../apimachinery/schema/type-builders.js';
import { AUTHENTICATION_V1, userInfoSchema } from '../../authentication.schema.js';

const specSchema = struct({
  goName: 'TokenReviewSpec',
  openapiName: `${AUTHENTICATION_V1}.TokenReviewSpec`,
  description: 'The token to review.',
  fields: [
    { ...field('token', 1, string(), 'omitEmpty', 'The bearer token.'), required: true },
    field('audiences', 2, list(string()), 'omitEmpty', 'Audiences of which the token must have one; by default this server.'),
  ],
});

const statusSchema = struct({
  goName: 'TokenReviewStatus',
  openapiName: `${AUTHENTICATION_V1}.TokenReviewStatus`,
  description: 'The result of a review.',
  fields: [
    field('authenticated', 1, bool(), 'omitEmpty', 'Whether the token is valid.'),
    field('user', 2, userInfoSchema, 'always', 'The user of the token.'),
    field('audiences', 4, list(string()), 'omitEmpty', 'The requested audiences that the token has.'),
    field('error', 3, string(), 'omitEmpty', 'Why the token could not be checked.'),
  ],
});

/** authentication.k8s.io/v1 TokenReview. */
export const tokenReviewV1Schema = struct({
  goName: 'TokenReview',
  openapiName: `${AUTHENTICATION_V1}.TokenReview`,
  description: 'A request to validate a token and identify its user.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata, which is not used.'),
    requiredField('spec', 2, specSchema, 'The question.'),
    field('status', 3, statusSchema, 'always', 'The result, filled in by the server.'),
  ],
});
