import { type TypeOf, field, int32, list, raw, requiredField, string, struct, typeMetaFields } from '../schema/struct-type.js';
import { listMetaSchema } from './object-meta.schema.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.StatusCause. */
const statusCauseSchema = struct(`${META}.StatusCause`, 'One cause of the failure of a request.', [
  field('reason', 1, string('v1.CauseType'), 'omitEmpty', 'Machine-readable reason of the cause.'),
  field('message', 2, string(), 'omitEmpty', 'Human-readable description of the cause.'),
  field('field', 3, string(), 'omitEmpty', 'Path of the field at fault, such as "spec.leaseDurationSeconds" or "items[0].name".'),
]);

/** metav1.StatusCause. */
export type StatusCause = TypeOf<typeof statusCauseSchema>;

/** metav1.StatusDetails. */
const statusDetailsSchema = struct(
  `${META}.StatusDetails`,
  'Machine-readable details of a Status. Its reason determines which fields are set.',
  [
    field('name', 1, string(), 'omitEmpty', 'Name of the object, if the status concerns one.'),
    field('group', 2, string(), 'omitEmpty', 'API group of the object or resource.'),
    field('kind', 3, string(), 'omitEmpty', 'Kind of the object, or for some errors its resource.'),
    field('uid', 6, string('types.UID'), 'omitEmpty', 'UID of the object, if the status concerns one.'),
    field('causes', 4, list(statusCauseSchema), 'omitEmpty', 'The individual causes of the failure.'),
    field('retryAfterSeconds', 5, int32(), 'omitEmpty', 'Seconds after which the client should retry, if it should.'),
  ],
);

/** metav1.StatusDetails; `{}` is written as `details: {}`, absent details are omitted. */
export type StatusDetails = TypeOf<typeof statusDetailsSchema>;

/** metav1.Status: the response to every request that returns no other object. */
export const statusSchema = struct(`${META}.Status`, 'Result of a request that returns no other object.', [
  ...typeMetaFields(),
  field('metadata', 1, listMetaSchema, 'always', 'Metadata; after a list has expired, it contains a token to continue with.'),
  field('status', 2, string(), 'omitEmpty', "'Success' or 'Failure'."),
  field('message', 3, string(), 'omitEmpty', 'Human-readable description of what happened.'),
  field('reason', 4, string('v1.StatusReason'), 'omitEmpty', 'Machine-readable reason of the failure. Refines the HTTP status code.'),
  field('details', 5, statusDetailsSchema, 'optional', 'Details of the reason.'),
  field('code', 6, int32(), 'omitEmpty', 'The HTTP status code.'),
]);

/** metav1.Status as created by the server. */
export type Status = TypeOf<typeof statusSchema> & { kind: 'Status'; apiVersion: 'v1'; status: 'Success' | 'Failure' };

/** metav1.WatchEvent: one line of a watch stream. */
export const watchEventSchema = struct(`${META}.WatchEvent`, 'A change that a watch reports.', [
  requiredField('type', 1, string(), "'ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK' or 'ERROR'."),
  requiredField(
    'object',
    2,
    raw('io.k8s.apimachinery.pkg.runtime.RawExtension', 'An object of any kind.'),
    'The object after the change; for DELETED, as it was before; for BOOKMARK, only its resourceVersion; for ERROR, a Status.',
  ),
]);
