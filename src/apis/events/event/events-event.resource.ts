import { isDeepStrictEqual } from 'node:util';
import { type FieldError, invalid, required } from '../../../apimachinery/errors/field-error.js';
import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import { canonicalize } from '../../../apimachinery/schema/canonical-object.js';
import type { StructType } from '../../../apimachinery/schema/struct-type.js';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/names.js';
import type { ResourceDefinition, ResourceVersionDefinition, Strategy } from '../../../registry/resource/resource-definition.js';
import { validateCoreMetadata, validateFinalizers } from '../../core/core-metadata.validation.js';
import { eventDefinition, eventStrategy, referenceFields, validateEvent } from '../../core/event/event.resource.js';
import { type Event, type EventSource, type ObjectReference, eventV1Schema } from '../../core/event/event.schema.js';
import { eventsV1Schema } from './events-event.schema.js';

/** The strategy of events.k8s.io/v1 events: the rules of core/v1 and stricter ones. */
const eventsEventStrategy: Strategy<Event> = {
  ...eventStrategy,
  validate: (next) => [
    ...validateEvent(next, 'reportingController'),
    ...validateCoreMetadata(next.metadata, { namespaced: true, validateName: nameIsDnsSubdomain }),
    ...validateNewEventsEvent(next),
  ],
  validateUpdate: (next, old) => [
    ...validateEvent(next, 'reportingController'),
    ...validateFinalizers(next.metadata),
    ...validateEventsEventChange(next, old),
  ],
};

const UNSET = 'needs to be unset';

/** The rules of events.k8s.io/v1 for new events, in addition to those of core/v1 (kubernetes pkg/apis/core/validation/events.go). */
export function validateNewEventsEvent(event: Event): FieldError[] {
  const { type = '' } = event;
  const errors = validateSeries(event);
  if (!event.eventTime) errors.push(required('eventTime'));
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`));
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count'] as const) {
    if (event[field]) errors.push(invalid(field, '', UNSET));
  }
  if (event.source.component || event.source.host) errors.push(invalid('source', '', UNSET));
  return errors;
}

/** In events.k8s.io/v1 only metadata and the series may change. */
export function validateEventsEventChange(next: Event, old: Event): FieldError[] {
  const errors = isSameSeries(next.series, old.series) ? [] : validateSeries(next);
  for (const field of IMMUTABLE) {
    if (isDeepStrictEqual(next[field] ?? undefined, old[field] ?? undefined)) continue;
    errors.push(invalid(FIELD_NAMES.get(field) ?? field, badValue(next, field), 'field is immutable'));
  }
  return errors;
}

const IMMUTABLE = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;
const FIELD_NAMES: ReadonlyMap<string, string> = new Map(Object.entries({ reportingComponent: 'reportingController' }));

/** Messages show the values of upstream's internal types, whose fields have Go names. */
function badValue(event: Event, field: (typeof IMMUTABLE)[number]): unknown {
  if (field === 'involvedObject') return goReference(event.involvedObject);
  if (field === 'related') return event.related && goReference(event.related);
  if (field === 'source') return goSource(event.source);
  if (field === 'count') return event.count ?? 0;
  // A time is written without the fraction that may be its only difference.
  if (field === 'firstTimestamp' || field === 'lastTimestamp') return event[field]?.replace(/\.\d+/, '') ?? null;
  return event[field] ?? (field === 'eventTime' ? null : '');
}

function goReference(reference: ObjectReference): Record<string, string> {
  return {
    Kind: reference.kind ?? '',
    Namespace: reference.namespace ?? '',
    Name: reference.name ?? '',
    UID: reference.uid ?? '',
    APIVersion: reference.apiVersion ?? '',
    ResourceVersion: reference.resourceVersion ?? '',
    FieldPath: reference.fieldPath ?? '',
  };
}

function goSource({ component = '', host = '' }: EventSource): Record<string, string> {
  return { Component: component, Host: host };
}

/** Stored objects show absent times as null. */
function isSameSeries(next: Event['series'], old: Event['series']): boolean {
  if (!next || !old) return !next === !old;
  return (next.count ?? 0) === (old.count ?? 0) && (next.lastObservedTime ?? null) === (old.lastObservedTime ?? null);
}

function validateSeries({ series }: Event): FieldError[] {
  if (!series) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(required('series.lastObservedTime'));
  return errors;
}

/** Event in events.k8s.io/v1. */
export const eventsV1: ResourceVersionDefinition<Event> = {
  name: 'v1',
  group: 'events.k8s.io',
  schema: eventsV1Schema,
  toHub: eventFromEventsV1,
  fromHub: eventToEventsV1,
  example: {
    metadata: { name: 'example-observed' },
    eventTime: '2026-01-01T12:00:00.000000Z',
    regarding: { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', namespace: 'default', name: 'example' },
    type: 'Normal',
    reason: 'LeaderElection',
    action: 'Acquire',
    note: 'host-1 became leader',
    reportingController: 'example.com/elector',
    reportingInstance: 'host-1',
  },
};

const REGARDING = Object.keys(referenceFields('regarding', {}));

/** Events in the group events.k8s.io: the same objects as in the core group, with other rules and names. */
export const eventsEventDefinition: ResourceDefinition<Event> = {
  ...eventDefinition,
  group: 'events.k8s.io',
  hubGroup: '',
  versions: [eventsV1],
  strategy: eventsEventStrategy,
  selectableFields: (event) => ({
    ...referenceFields('regarding', event.involvedObject),
    reason: event.reason ?? '',
    reportingController: event.reportingComponent,
    type: event.type ?? '',
  }),
  selectableFieldNames: [...REGARDING, 'reason', 'reportingController', 'type', 'metadata.namespace', 'metadata.name'],
};

type Values = Record<string, unknown>;

/** Names in events.k8s.io/v1 and in the hub, where they differ (kubernetes pkg/apis/events/v1/conversion.go). */
const RENAMED: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];
const TO_HUB = new Map(RENAMED);
const FROM_HUB = new Map(RENAMED.map(([name, hubName]) => [hubName, name]));

export function eventFromEventsV1(object: KubeObject): Event {
  return renamed(object, TO_HUB, eventV1Schema) as unknown as Event;
}

export function eventToEventsV1(hub: Event): KubeObject {
  return renamed(hub, FROM_HUB, eventsV1Schema) as unknown as KubeObject;
}

/** The two shapes omit different empty values, in the series as well. */
function renamed(object: KubeObject, names: ReadonlyMap<string, string>, schema: StructType): Values {
  const values: Values = Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value as unknown]));
  const { metadata, series } = values;
  if (series) values['series'] = { ...series };
  // Metadata is the same in both, and must not be changed here.
  return { ...canonicalize(schema, { ...values, metadata: {} }), metadata };
}
