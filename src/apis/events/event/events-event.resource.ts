import type { ResourceDefinition } from '../../../registry/resource/resource-definition.js';
import { referenceFields } from '../../core/event/event.fields.js';
import type { Event } from '../../core/event/event.js';
import { eventDefinition } from '../../core/event/event.resource.js';
import { eventsEventStrategy } from './events-event.strategy.js';
import { eventsV1 } from './v1/events-v1.js';

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
