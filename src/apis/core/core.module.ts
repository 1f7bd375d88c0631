import { Module } from '@nestjs/common';
import { EventModule } from './event/event.module.js';
import { NamespaceModule } from './namespace/namespace.module.js';
import { ServiceAccountModule } from './service-account/service-account.module.js';

/** The core group, limited to what the coordination API needs. */
@Module({ imports: [EventModule, NamespaceModule, ServiceAccountModule] })
export class CoreModule {}
