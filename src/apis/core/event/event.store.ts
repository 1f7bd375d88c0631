import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { Event } from './event.js';
import { eventDefinition } from './event.resource.js';

/** The store of core events. */
@Injectable()
export class EventStore extends GenericResourceStore<Event> {
  static readonly definition = eventDefinition;

  constructor(services: StoreServices) {
    super(services.storeOf(eventDefinition));
  }
}
