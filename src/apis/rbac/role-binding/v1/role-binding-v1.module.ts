import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { RoleBindingV1Controller } from './role-binding-v1.controller.js';

/** RoleBinding in version v1. */
@Module({})
export class RoleBindingV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: RoleBindingV1Module, imports: [endpoints], controllers: [RoleBindingV1Controller] };
  }
}
