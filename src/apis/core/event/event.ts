import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { objectReferenceSchema } from '../object-reference.schema.js';
import type { eventSourceSchema, eventV1Schema } from './v1/event-v1.schema.js';

/** core/v1 ObjectReference. */
export type ObjectReference = TypeOf<typeof objectReferenceSchema>;

/** core/v1 EventSource: the program that reported an event, and its node. */
export type EventSource = TypeOf<typeof eventSourceSchema>;

/** The hub type of events; it has the shape of core/v1. `reportingComponent` is events.k8s.io's `reportingController`. */
export type Event = TypeOf<typeof eventV1Schema>;
