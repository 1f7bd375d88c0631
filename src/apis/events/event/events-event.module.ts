import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { serves } from '../../../registry/serves.js';
import { storeOf } from '../../../registry/store-of.js';
import { eventsEventDefinition, eventsV1 } from './events-event.resource.js';

/** The store of events in the group events.k8s.io, which are the same objects as those of the core group. */
class EventsEventStore extends storeOf(eventsEventDefinition) {}

/** Events of the group events.k8s.io. */
@Module({
  imports: [RegistryModule],
  providers: [EventsEventStore, serves(EventsEventStore, eventsV1)],
  exports: [EventsEventStore],
})
export class EventsEventModule {}
