import { Injectable, Module } from '@nestjs/common';
import { ClusterRoleBindingModule, ClusterRoleBindingStore, RoleBindingModule, RoleBindingStore } from '../binding/bindings.module.js';
import { ClusterRoleModule, ClusterRoleStore, RoleModule, RoleStore } from '../role/roles.module.js';

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
