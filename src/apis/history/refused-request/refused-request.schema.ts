import { objectFields } from '../../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, bool, field, int32, microTime, requiredField, string, struct } from '../../../apimachinery/schema/struct-type.js';

const V1 = 'dev.coordination-apiserver.history.v1';

/** history.coordination-apiserver.dev/v1 RefusedRequestSpec. */
const refusedRequestSpecV1Schema = struct(`${V1}.RefusedRequestSpec`, 'Who asked for what.', [
  field('objectName', 1, string(), 'omitEmpty', 'Name of the lease, or other object. Empty where a create was refused unread.'),
  requiredField(
    'resource',
    2,
    string(),
    'Resource and subresource, such as "leases.coordination.k8s.io" or "leases.coordination.k8s.io/lock".',
  ),
  requiredField('apiVersion', 3, string(), 'Version of the API that was asked for, such as "v1".'),
  requiredField('verb', 4, string(), 'Verb of the request, such as "update".'),
  field('user', 5, string(), 'omitEmpty', 'Name of the user. Empty where the credentials were refused.'),
  field('userAgent', 6, string(), 'omitEmpty', 'User-Agent header of the client.'),
]);

/** history.coordination-apiserver.dev/v1 RefusedRequestStatus. */
const refusedRequestStatusV1Schema = struct(`${V1}.RefusedRequestStatus`, 'Why it was refused, and how often.', [
  requiredField('code', 1, int32(), 'HTTP status code of the response.'),
  field('reason', 2, string('v1.StatusReason'), 'omitEmpty', 'Machine-readable reason of the failure.'),
  field('field', 3, string(), 'omitEmpty', 'Path of the field at fault, such as "spec.renewTime".'),
  field('message', 4, string(), 'omitEmpty', 'Message of the latest response.'),
  field('remedy', 5, string(), 'omitEmpty', 'What is likely to help, where the cause is a common one.'),
  requiredField('count', 6, int32(), 'How many such requests were refused.'),
  field('firstTime', 7, microTime(), 'optional', 'When the first of them was refused.'),
  field('lastTime', 8, microTime(), 'optional', 'When the latest of them was refused.'),
  requiredField(
    'cause',
    9,
    string(),
    'One word for the cause, such as "NotAllowed" or "WrongTime"; "Other" if it is none of the common ones.',
  ),
  field('waiting', 10, bool(), 'omitEmpty', 'Whether the client does nothing wrong: somebody else holds the lease, or was faster.'),
  requiredField('server', 11, string(), 'Hostname and process id of the server that refused them, and that alone knows of them.'),
]);

/** history.coordination-apiserver.dev/v1 RefusedRequest. */
export const refusedRequestV1Schema = struct(
  `${V1}.RefusedRequest`,
  'Requests of one user and program that this server refused for one reason within the last hour. It is kept in the memory of the server ' +
    'that answered, and stored nowhere.',
  [
    ...objectFields(),
    requiredField('spec', 2, refusedRequestSpecV1Schema, 'Who asked for what.'),
    requiredField('status', 3, refusedRequestStatusV1Schema, 'Why it was refused, and how often.'),
  ],
);

/** The hub type of refused requests; it has the shape of v1. */
export type RefusedRequest = TypeOf<typeof refusedRequestV1Schema>;
