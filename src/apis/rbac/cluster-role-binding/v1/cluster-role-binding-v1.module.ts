import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { ClusterRoleBindingV1Controller } from './cluster-role-binding-v1.controller.js';

/** ClusterRoleBinding in version v1. */
@Module({})
export class ClusterRoleBindingV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: ClusterRoleBindingV1Module, imports: [endpoints], controllers: [ClusterRoleBindingV1Controller] };
  }
}
