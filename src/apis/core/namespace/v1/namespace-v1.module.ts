import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NamespaceV1Controller } from './namespace-v1.controller.js';

/** Namespace in version v1. */
@Module({})
export class NamespaceV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: NamespaceV1Module, imports: [endpoints], controllers: [NamespaceV1Controller] };
  }
}
