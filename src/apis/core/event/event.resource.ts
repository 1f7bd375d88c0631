import { type ResourceVersionDefinition, defineResource } from '../../../registry/resource/resource-definition.js';
import { eventColumns } from './event.columns.js';
import { type Event, type ObjectReference, eventV1Schema } from './event.schema.js';
import { eventStrategy } from './event.strategy.js';

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
