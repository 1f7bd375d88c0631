import type { ResourceDefinition, ResourceVersionDefinition } from '../../../registry/resource/resource-definition.js';
import { eventDefinition, referenceFields } from '../../core/event/event.resource.js';
import type { Event } from '../../core/event/event.schema.js';
import { eventFromEventsV1, eventToEventsV1 } from './events-event.conversion.js';
import { eventsV1Schema } from './events-event.schema.js';
import { eventsEventStrategy } from './events-event.strategy.js';

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
