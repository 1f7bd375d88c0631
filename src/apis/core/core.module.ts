import { Module } from '@nestjs/common';
import { EventV1Module } from './event/v1/event-v1.module.js';
import { NamespaceV1Module } from './namespace/v1/namespace-v1.module.js';
import { ServiceAccountV1Module } from './service-account/v1/service-account-v1.module.js';

/** The core group, limited to what the coordination API needs. */
@Module({ imports: [EventV1Module, NamespaceV1Module, ServiceAccountV1Module] })
export class CoreModule {}
