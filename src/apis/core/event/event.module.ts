import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { serves } from '../../../registry/serves.js';
import { storeOf } from '../../../registry/store-of.js';
import { eventDefinition, eventV1 } from './event.resource.js';

export class EventStore extends storeOf(eventDefinition) {}

@Module({
  imports: [RegistryModule],
  providers: [EventStore, serves(EventStore, eventV1)],
  exports: [EventStore],
})
export class EventModule {}
