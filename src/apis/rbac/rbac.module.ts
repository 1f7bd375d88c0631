import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { ResourceRegistry } from '../../registry/resource-registry.js';
import { clusterRoleBindingDefinition, clusterRoleBindingV1 } from './cluster-role-binding/cluster-role-binding.resource.js';
import { ClusterRoleBindingV1Module } from './cluster-role-binding/v1/cluster-role-binding-v1.module.js';
import { clusterRoleDefinition, clusterRoleV1 } from './cluster-role/cluster-role.resource.js';
import { ClusterRoleV1Module } from './cluster-role/v1/cluster-role-v1.module.js';
import { roleBindingDefinition, roleBindingV1 } from './role-binding/role-binding.resource.js';
import { RoleBindingV1Module } from './role-binding/v1/role-binding-v1.module.js';
import { roleDefinition, roleV1 } from './role/role.resource.js';
import { RoleV1Module } from './role/v1/role-v1.module.js';

const MODULES = [
  { definition: roleDefinition, version: roleV1, module: RoleV1Module },
  { definition: clusterRoleDefinition, version: clusterRoleV1, module: ClusterRoleV1Module },
  { definition: roleBindingDefinition, version: roleBindingV1, module: RoleBindingV1Module },
  { definition: clusterRoleBindingDefinition, version: clusterRoleBindingV1, module: ClusterRoleBindingV1Module },
] as const;

/** The group rbac.authorization.k8s.io: who may do what. */
@Module({})
export class RbacModule {
  static register(endpoints: DynamicModule, registry: ResourceRegistry): DynamicModule {
    const served = MODULES.filter(({ definition, version }) => registry.serves(definition, version));
    return { module: RbacModule, imports: served.map(({ module }) => module.register(endpoints)) };
  }
}
