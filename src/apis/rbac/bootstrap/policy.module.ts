import { Module } from '@nestjs/common';
import { ClusterRoleBindingModule } from '../cluster-role-binding/cluster-role-binding.module.js';
import { ClusterRoleModule } from '../cluster-role/cluster-role.module.js';
import { RoleBindingModule } from '../role-binding/role-binding.module.js';
import { RoleModule } from '../role/role.module.js';
import { PolicyStores } from './policy-stores.js';

/** All stores of RBAC's policy, for components that fill or watch it. */
@Module({
  imports: [RoleModule, ClusterRoleModule, RoleBindingModule, ClusterRoleBindingModule],
  providers: [PolicyStores],
  exports: [PolicyStores],
})
export class PolicyModule {}
