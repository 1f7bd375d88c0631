import type { ResourceDefinition } from '../../../registry/resource/resource-definition.js';
import { eventColumns } from './event.columns.js';
import { EVENT_FIELDS, eventFields } from './event.fields.js';
import type { Event } from './event.js';
import { eventStrategy } from './event.strategy.js';
import { eventV1 } from './v1/event-v1.js';

/** Events in the core group. Those of events.k8s.io are the same objects. */
export const eventDefinition: ResourceDefinition<Event> = {
  group: '',
  resource: 'events',
  singular: 'event',
  kind: 'Event',
  namespaced: true,
  shortNames: ['ev'],
  categories: [],
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  versions: [eventV1],
  storageVersion: eventV1,
  uncached: true,
  strategy: eventStrategy,
  columns: eventColumns,
  selectableFields: eventFields,
  selectableFieldNames: EVENT_FIELDS,
};
