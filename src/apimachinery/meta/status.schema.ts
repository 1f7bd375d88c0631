import { field, int32, list, string, struct, typeMetaFields } from '../schema/type-builders.js';
import { listMetaSchema } from './list-meta.schema.js';
import type { TypeOf } from '../schema/type-of.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.StatusCause. */
const statusCauseSchema = struct({
  goName: 'StatusCause',
  openapiName: `${META}.StatusCause`,
  description: 'One of the reasons why a request was refused.',
  fields: [
    field('reason', 1, string('v1.CauseType'), 'omitEmpty', 'What is wrong, as one word for programs.'),
    field('message', 2, string(), 'omitEmpty', 'What is wrong, for people.'),
    field('field', 3, string(), 'omitEmpty', 'Path of the field at fault, such as "spec.leaseDurationSeconds" or "items[0].name".'),
  ],
});

/** metav1.StatusCause. */
export type StatusCause = TypeOf<typeof statusCauseSchema>;

/** metav1.StatusDetails. */
const statusDetailsSchema = struct({
  goName: 'StatusDetails',
  openapiName: `${META}.StatusDetails`,
  description: 'What a Status is about, for programs. Which fields are set depends on its reason.',
  fields: [
    field('name', 1, string(), 'omitEmpty', 'Name of the object, if it is about one.'),
    field('group', 2, string(), 'omitEmpty', 'API group of the object or resource.'),
    field('kind', 3, string(), 'omitEmpty', 'Kind or resource; for some errors the one, for some the other.'),
    field('uid', 6, string('types.UID'), 'omitEmpty', 'UID of the object, if it is about one.'),
    field('causes', 4, list(statusCauseSchema), 'omitEmpty', 'All that is wrong, one by one.'),
    field('retryAfterSeconds', 5, int32(), 'omitEmpty', 'Seconds after which the client should try again, if it should.'),
  ],
});

/** metav1.StatusDetails; `{}` is written as `details: {}`, an absent one is left out. */
export type StatusDetails = TypeOf<typeof statusDetailsSchema>;

/** metav1.Status: the answer of every request that does not answer with an object. */
export const statusSchema = struct({
  goName: 'Status',
  openapiName: `${META}.Status`,
  description: 'The outcome of a request that has no object to answer with.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, listMetaSchema, 'always', 'Metadata; holds the token to go on with when a list has expired.'),
    field('status', 2, string(), 'omitEmpty', "'Success' or 'Failure'."),
    field('message', 3, string(), 'omitEmpty', 'What happened, for people.'),
    field('reason', 4, string('v1.StatusReason'), 'omitEmpty', 'Why the request failed, as one word for programs. Refines the HTTP code.'),
    field('details', 5, statusDetailsSchema, 'optional', 'What the reason is about.'),
    field('code', 6, int32(), 'omitEmpty', 'The HTTP status code.'),
  ],
});

/** metav1.Status, as the server makes it. */
export type Status = TypeOf<typeof statusSchema> & { kind: 'Status'; apiVersion: 'v1'; status: 'Success' | 'Failure' };
