import { objectMetaSchema } from '../../../../apimachinery/meta/object-meta.schema.js';
import {
  field,
  int32,
  microTime,
  requiredField,
  string,
  struct,
  time,
  typeMetaFields,
} from '../../../../apimachinery/schema/type-builders.js';
import { objectReferenceSchema } from '../../object-reference.schema.js';

const V1 = 'io.k8s.api.core.v1';

/** core/v1 EventSource. */
export const eventSourceSchema = struct({
  goName: 'EventSource',
  openapiName: `${V1}.EventSource`,
  description: 'Where an event comes from.',
  fields: [
    field('component', 1, string(), 'omitEmpty', 'The program that made the event.'),
    field('host', 2, string(), 'omitEmpty', 'The node that it ran on.'),
  ],
});

/** core/v1 EventSeries. */
const eventSeriesSchema = struct({
  goName: 'EventSeries',
  openapiName: `${V1}.EventSeries`,
  description: 'Repetitions of an event that goes on for some time.',
  fields: [
    field('count', 1, int32(), 'omitEmpty', 'How often it happened, up to the last time observed.'),
    field('lastObservedTime', 2, microTime(), 'always', 'When it was last observed.'),
  ],
});

/** core/v1 Event. */
export const eventV1Schema = struct({
  goName: 'Event',
  openapiName: `${V1}.Event`,
  description: 'Something that happened to an object, reported as well as possible and kept for some time only.',
  fields: [
    ...typeMetaFields(),
    requiredField('metadata', 1, objectMetaSchema, 'Standard metadata of the object.'),
    requiredField('involvedObject', 2, objectReferenceSchema, 'The object that the event is about.'),
    field('reason', 3, string(), 'omitEmpty', 'Why it happened: one word for programs, such as LeaderElection.'),
    field('message', 4, string(), 'omitEmpty', 'What happened, for people.'),
    field('source', 5, eventSourceSchema, 'always', 'Where the event comes from.'),
    field('firstTimestamp', 6, time(), 'always', 'When it was first recorded.'),
    field('lastTimestamp', 7, time(), 'always', 'When it was last recorded.'),
    field('count', 8, int32(), 'omitEmpty', 'How often it happened.'),
    field('type', 9, string(), 'omitEmpty', 'Normal or Warning.'),
    field('eventTime', 10, microTime(), 'always', 'When it was first observed.'),
    field('series', 11, eventSeriesSchema, 'optional', 'Its repetitions; absent for an event that happened once.'),
    field('action', 12, string(), 'omitEmpty', 'What was done, or failed, with the object.'),
    field('related', 13, objectReferenceSchema, 'optional', 'A second object that has to do with it.'),
    field('reportingComponent', 14, string(), 'always', 'The controller that reports it, such as example.com/elector.'),
    field('reportingInstance', 15, string(), 'always', 'Which instance of the controller reports it.'),
  ],
});
