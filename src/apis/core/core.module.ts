import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NamespaceV1Module } from './namespace/v1/namespace-v1.module.js';

/** The core group, as far as the coordination API needs it. */
@Module({})
export class CoreModule {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: CoreModule, imports: [NamespaceV1Module.register(endpoints)] };
  }
}
