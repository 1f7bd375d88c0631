import { objectMetaSchema } from '../../../../apimachinery/meta/object-meta.schema.js';
import { field, struct, typeMetaFields } from '../../../../apimachinery/schema/type-builders.js';
import { AUTHENTICATION_V1, userInfoSchema } from '../../authentication.schema.js';

/** authentication.k8s.io/v1 SelfSubjectReviewStatus. */
const selfSubjectReviewStatusV1Schema = struct({
  goName: 'SelfSubjectReviewStatus',
  openapiName: `${AUTHENTICATION_V1}.SelfSubjectReviewStatus`,
  description: 'The answer.',
  fields: [field('userInfo', 1, userInfoSchema, 'always', 'Who the asker is.')],
});

/** authentication.k8s.io/v1 SelfSubjectReview. */
export const selfSubjectReviewV1Schema = struct({
  goName: 'SelfSubjectReview',
  openapiName: `${AUTHENTICATION_V1}.SelfSubjectReview`,
  description: 'Asks who the server takes the asker for.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Metadata, which has no meaning here.'),
    field('status', 2, selfSubjectReviewStatusV1Schema, 'always', 'The answer, filled in by the server.'),
  ],
});
