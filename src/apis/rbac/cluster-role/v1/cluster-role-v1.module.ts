import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { ClusterRoleV1Controller } from './cluster-role-v1.controller.js';

/** ClusterRole in version v1. */
@Module({})
export class ClusterRoleV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: ClusterRoleV1Module, imports: [endpoints], controllers: [ClusterRoleV1Controller] };
  }
}
