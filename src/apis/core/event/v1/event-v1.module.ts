import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { EventModule } from '../event.module.js';
import { eventV1 } from './event-v1.js';
import { EventStore } from '../event.store.js';

/** Event in version v1. */
@Module({ imports: [EventModule], providers: [serves(EventStore, eventV1)] })
export class EventV1Module {}
