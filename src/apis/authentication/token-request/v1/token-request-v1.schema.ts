import { objectMetaSchema } from '../../../../apimachinery/meta/object-meta.schema.js';
import { field, int64, list, string, struct, time, typeMetaFields } from '../../../../apimachinery/schema/type-builders.js';
import { AUTHENTICATION_V1 } from '../../authentication.schema.js';

const boundObjectReferenceSchema = struct({
  goName: 'BoundObjectReference',
  openapiName: `${AUTHENTICATION_V1}.BoundObjectReference`,
  description: 'Names the object that a token lives and dies with.',
  fields: [
    field('kind', 1, string(), 'omitEmpty', 'Kind of the object: Pod, Secret or Node.'),
    field('apiVersion', 2, string(), 'omitEmpty', 'Group and version of the object.'),
    field('name', 3, string(), 'omitEmpty', 'Name of the object.'),
    field('uid', 4, string('types.UID'), 'omitEmpty', 'UID of the object.'),
  ],
});

const specSchema = struct({
  goName: 'TokenRequestSpec',
  openapiName: `${AUTHENTICATION_V1}.TokenRequestSpec`,
  description: 'What is wanted of the token.',
  fields: [
    field('audiences', 1, list(string()), 'always', 'Whom the token is meant for; by default this server.'),
    { ...field('expirationSeconds', 4, int64(), 'optional', 'How long it is good, at least 600; by default an hour.'), writesNull: true },
    {
      ...field('boundObjectRef', 3, boundObjectReferenceSchema, 'optional', 'The object that it is bound to: none that this server has.'),
      writesNull: true,
    },
  ],
});

const statusSchema = struct({
  goName: 'TokenRequestStatus',
  openapiName: `${AUTHENTICATION_V1}.TokenRequestStatus`,
  description: 'The token.',
  fields: [
    field('token', 1, string(), 'always', 'The bearer token.'),
    field('expirationTimestamp', 2, time(), 'always', 'When it expires.'),
  ],
});

/** authentication.k8s.io/v1 TokenRequest. */
export const tokenRequestV1Schema = struct({
  goName: 'TokenRequest',
  openapiName: `${AUTHENTICATION_V1}.TokenRequest`,
  description: 'Asks for a token of a service account.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Name, namespace and uid of the service account, where they are to be checked.'),
    field('spec', 2, specSchema, 'always', 'What is wanted.'),
    field('status', 3, statusSchema, 'always', 'The token, filled in by the server.'),
  ],
});
