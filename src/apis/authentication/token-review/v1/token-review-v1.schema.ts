import { objectMetaSchema } from '../../../../apimachinery/meta/object-meta.schema.js';
import { bool, field, list, requiredField, string, struct, typeMetaFields } from '../../../../apimachinery/schema/type-builders.js';
import { AUTHENTICATION_V1, userInfoSchema } from '../../authentication.schema.js';

const specSchema = struct({
  goName: 'TokenReviewSpec',
  openapiName: `${AUTHENTICATION_V1}.TokenReviewSpec`,
  description: 'The token that is asked about.',
  fields: [
    { ...field('token', 1, string(), 'omitEmpty', 'The bearer token.'), required: true },
    field('audiences', 2, list(string()), 'omitEmpty', 'Whom the token must be meant for; by default this server.'),
  ],
});

const statusSchema = struct({
  goName: 'TokenReviewStatus',
  openapiName: `${AUTHENTICATION_V1}.TokenReviewStatus`,
  description: 'The answer.',
  fields: [
    field('authenticated', 1, bool(), 'omitEmpty', "Whether the token is somebody's."),
    field('user', 2, userInfoSchema, 'always', 'Whose it is.'),
    field('audiences', 4, list(string()), 'omitEmpty', 'Which of the audiences it is meant for.'),
    field('error', 3, string(), 'omitEmpty', 'Why it is not good.'),
  ],
});

/** authentication.k8s.io/v1 TokenReview. */
export const tokenReviewV1Schema = struct({
  goName: 'TokenReview',
  openapiName: `${AUTHENTICATION_V1}.TokenReview`,
  description: 'Asks whose a token is.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Metadata, which has no meaning here.'),
    requiredField('spec', 2, specSchema, 'The question.'),
    field('status', 3, statusSchema, 'always', 'The answer, filled in by the server.'),
  ],
});
