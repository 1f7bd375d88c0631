import { Module } from '@nestjs/common';
import { RoleV1Module } from './role/v1/role-v1.module.js';
import { RoleBindingV1Module } from './role-binding/v1/role-binding-v1.module.js';
import { ClusterRoleV1Module } from './cluster-role/v1/cluster-role-v1.module.js';
import { ClusterRoleBindingV1Module } from './cluster-role-binding/v1/cluster-role-binding-v1.module.js';

/** The group rbac.authorization.k8s.io: roles and their bindings. */
@Module({ imports: [RoleV1Module, RoleBindingV1Module, ClusterRoleV1Module, ClusterRoleBindingV1Module] })
export class RbacModule {}
