import { objectFields } from '../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, field, int64, list, map, string, struct, time } from '../../apimachinery/schema/struct-type.js';
import { reviewDefinition } from '../../registry/resource/resource-definition.js';
import { AUTHENTICATION_GROUP, AUTHENTICATION_V1 } from './authentication.schema.js';

const boundObjectReferenceSchema = struct(
  `${AUTHENTICATION_V1}.BoundObjectReference`,
  'Reference to the object whose deletion invalidates a token.',
  [
    field('kind', 1, string(), 'omitEmpty', 'Kind of the object: Pod, Secret or Node.'),
    field('apiVersion', 2, string(), 'omitEmpty', 'Group and version of the object.'),
    field('name', 3, string(), 'omitEmpty', 'Name of the object.'),
    field('uid', 4, string('types.UID'), 'omitEmpty', 'UID of the object.'),
  ],
);

const specSchema = struct(`${AUTHENTICATION_V1}.TokenRequestSpec`, 'The requested properties of a token.', [
  field('audiences', 1, list(string()), 'always', 'Intended audiences of the token; by default this server.'),
  {
    ...field('expirationSeconds', 4, int64(), 'optional', 'Requested lifetime in seconds, at least 600; by default 3600.'),
    writesNull: true,
  },
  {
    ...field('boundObjectRef', 3, boundObjectReferenceSchema, 'optional', 'The object that the token is bound to. Not supported.'),
    writesNull: true,
  },
  field(
    'attestations',
    5,
    map(list(string(), { undeclared: true })),
    'omitEmpty',
    'Claims about the request of a webhook configuration. Not supported.',
  ),
]);

const statusSchema = struct(`${AUTHENTICATION_V1}.TokenRequestStatus`, 'The token.', [
  field('token', 1, string(), 'always', 'The bearer token.'),
  field('expirationTimestamp', 2, time(), 'always', 'When it expires.'),
]);

const tokenRequestV1Schema = struct(`${AUTHENTICATION_V1}.TokenRequest`, 'A request for a token of a service account.', [
  ...objectFields('Metadata; name, namespace and uid are checked against the service account if present.'),
  field('spec', 2, specSchema, 'always', 'The requested properties.'),
  field('status', 3, statusSchema, 'always', 'The token, filled in by the server.'),
]);

/** authentication.k8s.io/v1 TokenRequest. */
export type TokenRequest = TypeOf<typeof tokenRequestV1Schema>;

export type BoundObjectReference = NonNullable<TokenRequest['spec']['boundObjectRef']>;

/** The default lifetime of a token, in seconds. */
export const HOUR = 3600;

const review = reviewDefinition<TokenRequest>({
  group: AUTHENTICATION_GROUP,
  kind: 'TokenRequest',
  namespaced: true,
  schema: tokenRequestV1Schema,
  example: { metadata: { name: 'example' }, spec: { expirationSeconds: HOUR } },
});
const version = { ...review.storageVersion, setDefaults };

/** The object posted to serviceaccounts/NAME/token. It is not a resource of its own. */
export const tokenRequestDefinition = { ...review, versions: [version], storageVersion: version };

function setDefaults(request: TokenRequest): void {
  if (request.spec?.expirationSeconds === undefined) request.spec = { ...request.spec, expirationSeconds: HOUR };
}
