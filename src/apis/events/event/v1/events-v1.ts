import type { ResourceVersionDefinition } from '../../../../registry/resource/resource-definition.js';
import type { Event } from '../../../core/event/event.js';
import { eventFromEventsV1, eventToEventsV1 } from './events-v1.conversion.js';
import { eventsV1Schema } from './events-v1.schema.js';

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
