import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { EventStore } from './event.store.js';

/** The store of core events. */
@Module({ imports: [RegistryModule], providers: [EventStore], exports: [EventStore] })
export class EventModule {}
