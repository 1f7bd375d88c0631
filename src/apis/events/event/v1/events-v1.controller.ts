import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { eventsEventDefinition } from '../events-event.resource.js';
import { eventsV1 } from './events-v1.js';

/** events.k8s.io/v1 events. */
export class EventsV1Controller extends createResourceController(eventsEventDefinition, eventsV1) {}
