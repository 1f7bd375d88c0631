import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { EventsEventStore } from './events-event.store.js';

/** The store of events in the group events.k8s.io. */
@Module({ imports: [RegistryModule], providers: [EventsEventStore], exports: [EventsEventStore] })
export class EventsEventModule {}
