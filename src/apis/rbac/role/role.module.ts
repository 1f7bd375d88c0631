import { Injectable, Module } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { serves } from '../../../registry/serves.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { ClusterRole } from '../cluster-role/cluster-role.schema.js';
import { EscalationChecks, EscalationModule } from '../escalation/escalation.module.js';
import { RoleWritePolicy } from '../escalation/role-write-policy.js';
import { roleDefinition, roleV1 } from './role.resource.js';

/** The store of roles. Users can grant a role only rights that they have themselves. */
@Injectable()
export class RoleStore extends GenericResourceStore<ClusterRole> {
  static readonly definition = roleDefinition;

  constructor(services: StoreServices, checks: EscalationChecks) {
    super({ ...services.storeOf(roleDefinition), writePolicy: new RoleWritePolicy(roleDefinition, checks) });
  }
}

@Module({ imports: [RegistryModule, EscalationModule], providers: [RoleStore, serves(RoleStore, roleV1)], exports: [RoleStore] })
export class RoleModule {}
