import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { EventV1Controller } from './event-v1.controller.js';

/** Event in core/v1. */
@Module({})
export class EventV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: EventV1Module, imports: [endpoints], controllers: [EventV1Controller] };
  }
}
