import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { ResourceRegistry } from '../../registry/resource-registry.js';
import { eventsEventDefinition } from './event/events-event.resource.js';
import { EventsV1Module } from './event/v1/events-v1.module.js';
import { eventsV1 } from './event/v1/events-v1.js';

/** The group events.k8s.io. */
@Module({})
export class EventsModule {
  static register(endpoints: DynamicModule, registry: ResourceRegistry): DynamicModule {
    const served = registry.serves(eventsEventDefinition, eventsV1);
    return { module: EventsModule, imports: served ? [EventsV1Module.register(endpoints)] : [] };
  }
}
