import { Injectable, Module } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { serves } from '../../../registry/serves.js';
import { StoreServices } from '../../../registry/store-services.js';
import { EscalationChecks, EscalationModule } from '../escalation/escalation.module.js';
import { RoleWritePolicy } from '../escalation/role-write-policy.js';
import { clusterRoleDefinition, clusterRoleV1 } from './cluster-role.resource.js';
import type { ClusterRole } from './cluster-role.schema.js';

/** The store of cluster roles. Users can grant a role only rights that they have themselves. */
@Injectable()
export class ClusterRoleStore extends GenericResourceStore<ClusterRole> {
  static readonly definition = clusterRoleDefinition;

  constructor(services: StoreServices, checks: EscalationChecks) {
    super({ ...services.storeOf(clusterRoleDefinition), writePolicy: new RoleWritePolicy(clusterRoleDefinition, checks) });
  }
}

@Module({
  imports: [RegistryModule, EscalationModule],
  providers: [ClusterRoleStore, serves(ClusterRoleStore, clusterRoleV1)],
  exports: [ClusterRoleStore],
})
export class ClusterRoleModule {}
