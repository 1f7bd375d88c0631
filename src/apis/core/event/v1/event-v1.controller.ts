import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { eventDefinition } from '../event.resource.js';
import { eventV1 } from './event-v1.js';

/** core/v1 events. */
export class EventV1Controller extends createResourceController(eventDefinition, eventV1) {}
