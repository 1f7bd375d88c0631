import { Module } from '@nestjs/common';
import { EventsEventModule } from './event/events-event.module.js';

/** The group events.k8s.io. */
@Module({ imports: [EventsEventModule] })
export class EventsModule {}
