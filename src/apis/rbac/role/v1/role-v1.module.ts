import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { RoleV1Controller } from './role-v1.controller.js';

/** Role in version v1. */
@Module({})
export class RoleV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: RoleV1Module, imports: [endpoints], controllers: [RoleV1Controller] };
  }
}
