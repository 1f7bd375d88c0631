import { Inject, Injectable, Module } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import type { ResourceDefinition } from '../../../registry/resource/resource-definition.js';
import { serves } from '../../../registry/serves.js';
import { StoreServices } from '../../../registry/store-of.js';
import { EscalationChecks, EscalationModule } from '../escalation/escalation.module.js';
import { RoleWritePolicy } from '../escalation/escalation-check.js';
import { clusterRoleDefinition, roleDefinition } from './role.resource.js';
import type { ClusterRole } from './role.schema.js';

/** The class of a store of roles. Users can grant a role only rights that they have themselves. */
function roleStoreOf(definition: ResourceDefinition<ClusterRole>) {
  @Injectable()
  class Store extends GenericResourceStore<ClusterRole> {
    static readonly definition = definition;

    constructor(@Inject(StoreServices) services: StoreServices, @Inject(EscalationChecks) checks: EscalationChecks) {
      super({ ...services.storeOf(definition), writePolicy: new RoleWritePolicy(definition, checks) });
    }
  }
  return Store;
}

const IMPORTS = [RegistryModule, EscalationModule];

export class RoleStore extends roleStoreOf(roleDefinition) {}

@Module({ imports: IMPORTS, providers: [RoleStore, serves(RoleStore)], exports: [RoleStore] })
export class RoleModule {}

export class ClusterRoleStore extends roleStoreOf(clusterRoleDefinition) {}

@Module({ imports: IMPORTS, providers: [ClusterRoleStore, serves(ClusterRoleStore)], exports: [ClusterRoleStore] })
export class ClusterRoleModule {}
