import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { ResourceRegistry } from '../../registry/resource-registry.js';
import { namespaceDefinition, namespaceV1 } from './namespace/namespace.resource.js';
import { NamespaceV1Module } from './namespace/v1/namespace-v1.module.js';

/** The core group, as far as the coordination API needs it. */
@Module({})
export class CoreModule {
  static register(endpoints: DynamicModule, registry: ResourceRegistry): DynamicModule {
    const served = registry.serves(namespaceDefinition, namespaceV1);
    return { module: CoreModule, imports: served ? [NamespaceV1Module.register(endpoints)] : [] };
  }
}
