import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { EventsV1Controller } from './events-v1.controller.js';

/** Event in events.k8s.io/v1. */
@Module({})
export class EventsV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: EventsV1Module, imports: [endpoints], controllers: [EventsV1Controller] };
  }
}
