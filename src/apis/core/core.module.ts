import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { ResourceRegistry } from '../../registry/resource-registry.js';
import { eventDefinition } from './event/event.resource.js';
import { EventV1Module } from './event/v1/event-v1.module.js';
import { eventV1 } from './event/v1/event-v1.js';
import { namespaceDefinition, namespaceV1 } from './namespace/namespace.resource.js';
import { serviceAccountDefinition, serviceAccountV1 } from './service-account/service-account.resource.js';
import { ServiceAccountV1Module } from './service-account/v1/service-account-v1.module.js';
import { NamespaceV1Module } from './namespace/v1/namespace-v1.module.js';

const MODULES = [
  { definition: eventDefinition, version: eventV1, module: EventV1Module },
  { definition: serviceAccountDefinition, version: serviceAccountV1, module: ServiceAccountV1Module },
  { definition: namespaceDefinition, version: namespaceV1, module: NamespaceV1Module },
] as const;

/** The core group, as far as the coordination API needs it. */
@Module({})
export class CoreModule {
  static register(endpoints: DynamicModule, registry: ResourceRegistry): DynamicModule {
    const served = MODULES.filter(({ definition, version }) => registry.serves(definition, version));
    return { module: CoreModule, imports: served.map(({ module }) => module.register(endpoints)) };
  }
}
