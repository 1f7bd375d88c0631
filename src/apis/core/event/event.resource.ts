import { type FieldError, invalid, required } from '../../../apimachinery/errors/field-error.js';
import { humanDuration } from '../../../apimachinery/go/go-duration.js';
import { longerThan, validateQualifiedName } from '../../../apimachinery/validation/names.js';
import {
  type ResourceVersionDefinition,
  type Strategy,
  type TableColumn,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import { type Event, type ObjectReference, eventV1Schema } from './event.schema.js';

/** The strategy of core/v1 events, with few rules for the sake of old clients (kubernetes pkg/registry/core/event). */
export const eventStrategy: Strategy<Event> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutGarbageCollection: true,
  validate: (next) => validateEvent(next, 'reportingComponent'),
  validateUpdate: (next) => validateEvent(next, 'reportingComponent'),
};

const MAX_FIELD_BYTES = 128;
const MAX_MESSAGE_BYTES = 1024;
const OTHER_NAMESPACE = 'does not match event.namespace';

/**
 * The rules for events in any version, both new and changed (kubernetes pkg/apis/core/validation/events.go). An eventTime marks events of
 * the newer kind, which have stricter rules. `controllerField` is the version's name for the reporting controller.
 */
export function validateEvent(event: Event, controllerField: 'reportingComponent' | 'reportingController'): FieldError[] {
  return event.eventTime ? validateNewEvent(event, controllerField) : validateOldEvent(event);
}

/** An event about an object without a namespace must be in `default`. */
function validateOldEvent({ metadata, involvedObject }: Event): FieldError[] {
  const about = involvedObject.namespace ?? '';
  const matches = metadata.namespace === (about === '' ? 'default' : about);
  return matches ? [] : [invalid('involvedObject.namespace', about, OTHER_NAMESPACE)];
}

function validateNewEvent(event: Event, controllerField: string): FieldError[] {
  const { metadata, involvedObject, reportingComponent } = event;
  const errors: FieldError[] = [];
  if (!involvedObject.namespace && metadata.namespace !== 'default' && metadata.namespace !== 'kube-system') {
    errors.push(invalid('involvedObject.namespace', '', OTHER_NAMESPACE));
  }
  if (reportingComponent === '') errors.push(required(controllerField));
  for (const message of validateQualifiedName(reportingComponent)) errors.push(invalid(controllerField, reportingComponent, message));
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = event[field] ?? '';
    if (value === '') errors.push(required(field));
    if (longerThan(value, MAX_FIELD_BYTES)) errors.push(tooLong(field, MAX_FIELD_BYTES));
  }
  if (longerThan(event.message ?? '', MAX_MESSAGE_BYTES)) errors.push(tooLong('message', MAX_MESSAGE_BYTES));
  return errors;
}

function tooLong(field: string, limit: number): FieldError {
  return invalid(field, '', `can have at most ${limit} characters`);
}

/**
 * The columns that kubectl prints for events (kubernetes pkg/printers/internalversion/printers.go printEvent), with upstream's descriptions.
 * A bookmark has only metadata.
 */
export const eventColumns: readonly TableColumn<Event>[] = [
  textColumn('Last Seen', 'The time at which the most recent occurrence of this event was recorded.', lastSeen),
  textColumn('Type', 'Type of this event (Normal, Warning), new types could be added in the future', ({ type }) => type ?? ''),
  textColumn(
    'Reason',
    "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
    ({ reason }) => reason ?? '',
  ),
  textColumn('Object', 'The object that this event is about.', ({ involvedObject: { kind = '', name } = {} }) =>
    name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
  ),
  textColumn(
    'Subobject',
    'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, ' +
      'such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take ' +
      'on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no ' +
      'container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some ' +
      'well-defined way of referencing a part of an object.',
    ({ involvedObject: { fieldPath = '' } = {} }) => fieldPath,
    1,
  ),
  textColumn('Source', 'The component reporting this event. Should be a short machine understandable string.', source, 1),
  textColumn('Message', 'A human-readable description of the status of this operation.', ({ message }) => (message ?? '').trim()),
  textColumn('First Seen', 'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)', firstSeen, 1),
  textColumn(
    'Count',
    'The number of times this event has occurred.',
    ({ series, count }) => (series ? (series.count ?? 0) : count || 1),
    1,
  ),
  { ...nameColumn, priority: 1 },
];

function since(time: string | null | undefined, now: number): string {
  return time ? humanDuration(now - Date.parse(time)) : '<unknown>';
}

function firstSeen({ firstTimestamp, eventTime }: Event, now: number): string {
  return since(firstTimestamp ?? eventTime, now);
}

function lastSeen(event: Event, now: number): string {
  if (event.series) return since(event.series.lastObservedTime, now);
  return event.lastTimestamp ? since(event.lastTimestamp, now) : firstSeen(event, now);
}

function source({ source: { component, host } = {}, reportingComponent = '', reportingInstance = '' }: Event): string {
  const instance = host || reportingInstance;
  return (component || reportingComponent) + (instance === '' ? '' : `, ${instance}`);
}

const REFERENCE: readonly (keyof ObjectReference)[] = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** The selectable fields of core/v1 events (kubernetes pkg/registry/core/event/strategy.go ToSelectableFields). */
const EVENT_FIELDS: readonly string[] = [
  ...REFERENCE.map((field) => `involvedObject.${field}`),
  'reason',
  'reportingComponent',
  'source',
  'type',
  'metadata.namespace',
  'metadata.name',
];

function eventFields(event: Event): Readonly<Record<string, string>> {
  return {
    ...referenceFields('involvedObject', event.involvedObject),
    reason: event.reason ?? '',
    reportingComponent: event.reportingComponent,
    source: event.source.component || event.reportingComponent,
    type: event.type ?? '',
  };
}

/** The fields of a reference under a name: `regarding.kind`, and so on. */
export function referenceFields(name: string, reference: ObjectReference): Record<string, string> {
  return Object.fromEntries(REFERENCE.map((field) => [`${name}.${field}`, reference[field] ?? '']));
}

/** Event in core/v1: the hub's own shape, in which events of both groups are stored. */
export const eventV1: ResourceVersionDefinition<Event> = {
  name: 'v1',
  group: '',
  schema: eventV1Schema,
  example: {
    metadata: { name: 'example' },
    involvedObject: { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', namespace: 'default', name: 'example' },
    type: 'Normal',
    reason: 'LeaderElection',
    message: 'host-1 became leader',
    source: { component: 'example' },
    firstTimestamp: '2026-01-01T12:00:00Z',
    lastTimestamp: '2026-01-01T12:00:00Z',
    count: 1,
  },
};

/** Events in the core group. Those of events.k8s.io are the same objects. */
export const eventDefinition = defineResource<Event>({
  group: '',
  kind: 'Event',
  namespaced: true,
  shortNames: ['ev'],
  versions: [eventV1],
  uncached: true,
  strategy: eventStrategy,
  columns: eventColumns,
  selectableFields: eventFields,
  selectableFieldNames: EVENT_FIELDS,
});
