import { Module } from '@nestjs/common';
import { ClusterRoleModule } from './cluster-role/cluster-role.module.js';
import { ClusterRoleBindingModule } from './cluster-role-binding/cluster-role-binding.module.js';
import { RoleModule } from './role/role.module.js';
import { RoleBindingModule } from './role-binding/role-binding.module.js';

/** The group rbac.authorization.k8s.io: roles and their bindings. */
@Module({ imports: [RoleModule, RoleBindingModule, ClusterRoleModule, ClusterRoleBindingModule] })
export class RbacModule {}
