import type { ResourceVersionDefinition } from '../../../../registry/resource/resource-definition.js';
import type { Event } from '../event.js';
import { eventV1Schema } from './event-v1.schema.js';

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
