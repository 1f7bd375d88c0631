import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { Event } from './../../core/event/event.js';
import { eventsEventDefinition } from './events-event.resource.js';

/** The store of events in the group events.k8s.io, which are the same objects as those of the core group. */
@Injectable()
export class EventsEventStore extends GenericResourceStore<Event> {
  static readonly definition = eventsEventDefinition;

  constructor(services: StoreServices) {
    super(services.storeOf(eventsEventDefinition));
  }
}
