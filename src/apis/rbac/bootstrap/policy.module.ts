import { Injectable, Module } from '@nestjs/common';
import { ClusterRoleBindingModule, ClusterRoleBindingStore } from '../cluster-role-binding/cluster-role-binding.module.js';
import { ClusterRoleModule, ClusterRoleStore } from '../cluster-role/cluster-role.module.js';
import { RoleBindingModule, RoleBindingStore } from '../role-binding/role-binding.module.js';
import { RoleModule, RoleStore } from '../role/role.module.js';

/** The stores of roles and bindings. */
@Injectable()
export class PolicyStores {
  constructor(
    readonly roles: RoleStore,
    readonly clusterRoles: ClusterRoleStore,
    readonly roleBindings: RoleBindingStore,
    readonly clusterRoleBindings: ClusterRoleBindingStore,
  ) {}
}

/** All stores of RBAC's policy, for components that fill or watch it. */
@Module({
  imports: [RoleModule, ClusterRoleModule, RoleBindingModule, ClusterRoleBindingModule],
  providers: [PolicyStores],
  exports: [PolicyStores],
})
export class PolicyModule {}
