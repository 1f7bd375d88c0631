import { Injectable, Module } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import type { ResourceStore } from '../../../registry/resource/resource-store.js';
import { serves } from '../../../registry/serves.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { BindingObject } from '../binding-object.js';
import { ClusterRoleModule, ClusterRoleStore } from '../cluster-role/cluster-role.module.js';
import { EscalationChecks, EscalationModule } from '../escalation/escalation.module.js';
import { RoleBindingWritePolicy } from '../escalation/role-binding-write-policy.js';
import { RoleModule, RoleStore } from '../role/role.module.js';
import { clusterRoleBindingDefinition, clusterRoleBindingV1 } from './cluster-role-binding.resource.js';

/** The store of cluster role bindings. Users can bind only roles whose rights they have themselves. */
@Injectable()
export class ClusterRoleBindingStore extends GenericResourceStore<BindingObject> {
  static readonly definition = clusterRoleBindingDefinition;

  constructor(services: StoreServices, checks: EscalationChecks, roles: RoleStore, clusterRoles: ClusterRoleStore) {
    const referenced = { roles: roles as unknown as ResourceStore, clusterRoles: clusterRoles as unknown as ResourceStore };
    super({
      ...services.storeOf(clusterRoleBindingDefinition),
      writePolicy: new RoleBindingWritePolicy(clusterRoleBindingDefinition, { ...checks, ...referenced }),
    });
  }
}

@Module({
  imports: [RegistryModule, EscalationModule, RoleModule, ClusterRoleModule],
  providers: [ClusterRoleBindingStore, serves(ClusterRoleBindingStore, clusterRoleBindingV1)],
  exports: [ClusterRoleBindingStore],
})
export class ClusterRoleBindingModule {}
