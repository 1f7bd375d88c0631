import { Injectable } from '@nestjs/common';
import { ClusterRoleBindingStore } from '../cluster-role-binding/cluster-role-binding.store.js';
import { ClusterRoleStore } from '../cluster-role/cluster-role.store.js';
import { RoleBindingStore } from '../role-binding/role-binding.store.js';
import { RoleStore } from '../role/role.store.js';

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
