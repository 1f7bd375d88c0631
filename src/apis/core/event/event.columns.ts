import { humanDuration } from '../../../apimachinery/go/go-duration.js';
import { type TableColumn, nameColumn, textColumn } from '../../../registry/resource/resource-definition.js';
import type { Event } from './event.schema.js';

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
