import { objectFields } from '../../../apimachinery/meta/object-meta.schema.js';
import { field, int32, microTime, preciseTime, requiredField, string, struct } from '../../../apimachinery/schema/struct-type.js';
import { eventSourceSchema, objectReferenceSchema } from '../../core/event/event.schema.js';

const V1 = 'io.k8s.api.events.v1';

const eventSeriesSchema = struct(`${V1}.EventSeries`, 'Repetitions of an event.', [
  requiredField('count', 1, int32(), 'Number of occurrences up to the last observed one; at least 2.'),
  requiredField('lastObservedTime', 2, microTime(), 'Time of the last observed occurrence.'),
]);

export const eventsV1Schema = struct(
  `${V1}.Event`,
  'Something that happened to an object. Events are reported on a best-effort basis and kept for a limited time.',
  [
    ...objectFields(),
    requiredField('eventTime', 2, microTime(), 'Time of the first observation.'),
    field('series', 3, eventSeriesSchema, 'optional', 'Repetitions of the event; absent if it occurred once.'),
    field(
      'reportingController',
      4,
      string(),
      'omitEmpty',
      'Name of the reporting controller, such as example.com/elector. Required in new events.',
    ),
    field(
      'reportingInstance',
      5,
      string(),
      'omitEmpty',
      'Instance of the reporting controller; at most 128 bytes. Required in new events.',
    ),
    field(
      'action',
      6,
      string(),
      'omitEmpty',
      'Machine-readable action that was taken or failed; at most 128 bytes. Required in new events.',
    ),
    field('reason', 7, string(), 'omitEmpty', 'Machine-readable reason of the action; at most 128 bytes. Required in new events.'),
    field('regarding', 8, objectReferenceSchema, 'always', 'The object that the event is about.'),
    field('related', 9, objectReferenceSchema, 'optional', 'A second object that is involved.'),
    field('note', 10, string(), 'omitEmpty', 'Human-readable description of what happened; at most 1 KiB.'),
    field('type', 11, string(), 'omitEmpty', 'Normal or Warning. Required in new events.'),
    field('deprecatedSource', 12, eventSourceSchema, 'always', 'Source of an event created as core/v1.'),
    field('deprecatedFirstTimestamp', 13, preciseTime(), 'always', 'First timestamp of an event created as core/v1.'),
    field('deprecatedLastTimestamp', 14, preciseTime(), 'always', 'Last timestamp of an event created as core/v1.'),
    field('deprecatedCount', 15, int32(), 'omitEmpty', 'Count of an event created as core/v1.'),
  ],
);
