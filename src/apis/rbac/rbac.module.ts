import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { ClusterRoleBindingV1Module } from './cluster-role-binding/v1/cluster-role-binding-v1.module.js';
import { ClusterRoleV1Module } from './cluster-role/v1/cluster-role-v1.module.js';
import { RoleBindingV1Module } from './role-binding/v1/role-binding-v1.module.js';
import { RoleV1Module } from './role/v1/role-v1.module.js';

const MODULES = [RoleV1Module, ClusterRoleV1Module, RoleBindingV1Module, ClusterRoleBindingV1Module];

/** The group rbac.authorization.k8s.io: who may do what. */
@Module({})
export class RbacModule {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: RbacModule, imports: MODULES.map((module) => module.register(endpoints)) };
  }
}
