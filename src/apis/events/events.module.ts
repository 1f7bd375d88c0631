import { Module } from '@nestjs/common';
import { EventsV1Module } from './event/v1/events-v1.module.js';

/** The group events.k8s.io. */
@Module({ imports: [EventsV1Module] })
export class EventsModule {}
