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
import { eventSourceSchema } from '../../../core/event/v1/event-v1.schema.js';
import { objectReferenceSchema } from '../../../core/object-reference.schema.js';

const V1 = 'io.k8s.api.events.v1';

/** events.k8s.io/v1 EventSeries. */
const eventSeriesSchema = struct({
  goName: 'EventSeries',
  openapiName: `${V1}.EventSeries`,
  description: 'Repetitions of an event that goes on for some time.',
  fields: [
    requiredField('count', 1, int32(), 'How often it happened, up to the last time observed; at least 2.'),
    requiredField('lastObservedTime', 2, microTime(), 'When it was last observed.'),
  ],
});

/** events.k8s.io/v1 Event. */
export const eventsV1Schema = struct({
  goName: 'Event',
  openapiName: `${V1}.Event`,
  description: 'Something that happened to an object, reported as well as possible and kept for some time only.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
    requiredField('eventTime', 2, microTime(), 'When it was first observed.'),
    field('series', 3, eventSeriesSchema, 'optional', 'Its repetitions; absent for an event that happened once.'),
    field(
      'reportingController',
      4,
      string(),
      'omitEmpty',
      'The controller that reports it, such as example.com/elector. Needed by new events.',
    ),
    field(
      'reportingInstance',
      5,
      string(),
      'omitEmpty',
      'Which instance of the controller reports it; at most 128 bytes. Needed by new events.',
    ),
    field('action', 6, string(), 'omitEmpty', 'What was done, or failed: one word for programs, at most 128 bytes. Needed by new events.'),
    field('reason', 7, string(), 'omitEmpty', 'Why it was done, at most 128 bytes. Needed by new events.'),
    field('regarding', 8, objectReferenceSchema, 'always', 'The object that the event is about.'),
    field('related', 9, objectReferenceSchema, 'optional', 'A second object that has to do with it.'),
    field('note', 10, string(), 'omitEmpty', 'What happened, for people; at most 1 KiB.'),
    field('type', 11, string(), 'omitEmpty', 'Normal or Warning. Needed by new events.'),
    field('deprecatedSource', 12, eventSourceSchema, 'always', 'The source of an event that was made as core/v1.'),
    field('deprecatedFirstTimestamp', 13, time(), 'always', 'The first time of an event that was made as core/v1.'),
    field('deprecatedLastTimestamp', 14, time(), 'always', 'The last time of an event that was made as core/v1.'),
    field('deprecatedCount', 15, int32(), 'omitEmpty', 'The count of an event that was made as core/v1.'),
  ],
});
