import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { EventsEventModule } from '../events-event.module.js';
import { eventsV1 } from './events-v1.js';
import { EventsEventStore } from '../events-event.store.js';

/** Event in version v1 of events.k8s.io. */
@Module({ imports: [EventsEventModule], providers: [serves(EventsEventStore, eventsV1)] })
export class EventsV1Module {}
