import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { ClusterRoleModule } from '../cluster-role/cluster-role.module.js';
import { EscalationModule } from '../escalation/escalation.module.js';
import { RoleModule } from '../role/role.module.js';
import { RoleBindingStore } from './role-binding.store.js';

/** The store of role bindings. */
@Module({
  imports: [RegistryModule, EscalationModule, RoleModule, ClusterRoleModule],
  providers: [RoleBindingStore],
  exports: [RoleBindingStore],
})
export class RoleBindingModule {}
