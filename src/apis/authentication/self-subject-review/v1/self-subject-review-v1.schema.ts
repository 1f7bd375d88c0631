import { objectMetaSchema } from '../../../../apimachinery/meta/object-meta.schema.js';
import { field, struct, typeMetaFields } from '../../../../apimachinery/schema/type-builders.js';
import { AUTHENTICATION_V1, userInfoSchema } from '../../authentication.schema.js';

/** authentication.k8s.io/v1 SelfSubjectReviewStatus. */
const selfSubjectReviewStatusV1Schema = struct({
  goName: 'SelfSubjectReviewStatus',
  openapiName: `${AUTHENTICATION_V1}.SelfSubjectReviewStatus`,
  description: 'The result of a review.',
  fields: [field('userInfo', 1, userInfoSchema, 'always', 'The user who sent the request.')],
});

/** authentication.k8s.io/v1 SelfSubjectReview. */
export const selfSubjectReviewV1Schema = struct({
  goName: 'SelfSubjectReview',
  openapiName: `${AUTHENTICATION_V1}.SelfSubjectReview`,
  description: 'A request for the identity of the user who sends it.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata, which is not used.'),
    field('status', 2, selfSubjectReviewStatusV1Schema, 'always', 'The result, filled in by the server.'),
  ],
});
