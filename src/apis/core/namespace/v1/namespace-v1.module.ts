import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NamespaceFinalizeV1Controller, NamespaceStatusV1Controller } from './namespace-v1-subresources.controller.js';
import { NamespaceV1Controller } from './namespace-v1.controller.js';

const CONTROLLERS = [NamespaceV1Controller, NamespaceFinalizeV1Controller, NamespaceStatusV1Controller];

/** Namespace in version v1. */
@Module({})
export class NamespaceV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: NamespaceV1Module, imports: [endpoints], controllers: CONTROLLERS };
  }
}
