import { isDeepStrictEqual } from 'node:util';
import { type FieldError, invalid, required } from '../../../apimachinery/errors/field-error.js';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/names.js';
import type { Strategy } from '../../../registry/resource/resource-definition.js';
import { validateCoreMetadata, validateFinalizers } from '../../core/core-metadata.validation.js';
import type { Event, EventSource, ObjectReference } from '../../core/event/event.schema.js';
import { eventStrategy, validateEvent } from '../../core/event/event.strategy.js';

/** The strategy of events.k8s.io/v1 events: the rules of core/v1 and stricter ones. */
export const eventsEventStrategy: Strategy<Event> = {
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
