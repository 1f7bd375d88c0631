import { objectMetaSchema } from '../../../apimachinery/meta/object-meta.schema.js';
import {
  type TypeOf,
  field,
  int32,
  microTime,
  requiredField,
  string,
  struct,
  time,
  typeMetaFields,
} from '../../../apimachinery/schema/struct-type.js';

/** core/v1 ObjectReference. */
export const objectReferenceSchema = struct(
  'io.k8s.api.core.v1.ObjectReference',
  'Reference to another object.',
  [
    field('kind', 1, string(), 'omitEmpty', 'Kind of the object.'),
    field('namespace', 2, string(), 'omitEmpty', 'Namespace of the object; empty for cluster-scoped ones.'),
    field('name', 3, string(), 'omitEmpty', 'Name of the object.'),
    field('uid', 4, string('types.UID'), 'omitEmpty', 'UID of the object.'),
    field('apiVersion', 5, string(), 'omitEmpty', 'Group and version in which the object was seen.'),
    field('resourceVersion', 6, string(), 'omitEmpty', 'Version of the object.'),
    field(
      'fieldPath',
      7,
      string(),
      'omitEmpty',
      'Path of a part of the object, such as spec.containers{name}; empty for the whole object.',
    ),
  ],
  { atomic: true },
);

const V1 = 'io.k8s.api.core.v1';

export const eventSourceSchema = struct(`${V1}.EventSource`, 'Where an event comes from.', [
  field('component', 1, string(), 'omitEmpty', 'Component that reported the event.'),
  field('host', 2, string(), 'omitEmpty', 'Node on which the component ran.'),
]);

const eventSeriesSchema = struct(`${V1}.EventSeries`, 'Repetitions of an event.', [
  field('count', 1, int32(), 'omitEmpty', 'Number of occurrences up to the last observed one.'),
  field('lastObservedTime', 2, microTime(), 'always', 'Time of the last observed occurrence.'),
]);

export const eventV1Schema = struct(
  `${V1}.Event`,
  'Something that happened to an object. Events are reported on a best-effort basis and kept for a limited time.',
  [
    ...typeMetaFields(),
    requiredField('metadata', 1, objectMetaSchema, 'Standard metadata of the object.'),
    requiredField('involvedObject', 2, objectReferenceSchema, 'The object that the event is about.'),
    field('reason', 3, string(), 'omitEmpty', 'Machine-readable reason, such as LeaderElection.'),
    field('message', 4, string(), 'omitEmpty', 'Human-readable description of what happened.'),
    field('source', 5, eventSourceSchema, 'always', 'Where the event comes from.'),
    field('firstTimestamp', 6, time(), 'always', 'Time of the first occurrence.'),
    field('lastTimestamp', 7, time(), 'always', 'Time of the last occurrence.'),
    field('count', 8, int32(), 'omitEmpty', 'Number of occurrences.'),
    field('type', 9, string(), 'omitEmpty', 'Normal or Warning.'),
    field('eventTime', 10, microTime(), 'always', 'Time of the first observation.'),
    field('series', 11, eventSeriesSchema, 'optional', 'Repetitions of the event; absent if it occurred once.'),
    field('action', 12, string(), 'omitEmpty', 'Action that was taken or failed.'),
    field('related', 13, objectReferenceSchema, 'optional', 'A second object that is involved.'),
    field('reportingComponent', 14, string(), 'always', 'Name of the reporting controller, such as example.com/elector.'),
    field('reportingInstance', 15, string(), 'always', 'Instance of the reporting controller.'),
  ],
);

/** core/v1 ObjectReference. */
export type ObjectReference = TypeOf<typeof objectReferenceSchema>;

/** core/v1 EventSource: the program that reported an event, and its node. */
export type EventSource = TypeOf<typeof eventSourceSchema>;

/** The hub type of events; it has the shape of core/v1. `reportingComponent` is events.k8s.io's `reportingController`. */
export type Event = TypeOf<typeof eventV1Schema>;
