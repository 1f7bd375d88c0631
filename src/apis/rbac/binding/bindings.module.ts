import type { BindingObject } from '../../../auth/authorization/rbac.schema.js';
import { Inject, Injectable, Module } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import type { ResourceDefinition } from '../../../registry/resource/resource-definition.js';
import { serves } from '../../../registry/serves.js';
import { StoreServices } from '../../../registry/store-of.js';
import { EscalationChecks, EscalationModule } from '../escalation/escalation.module.js';
import { RoleBindingWritePolicy } from '../escalation/escalation-check.js';
import { ClusterRoleModule, ClusterRoleStore, RoleModule, RoleStore } from '../role/roles.module.js';
import { clusterRoleBindingDefinition, roleBindingDefinition } from './binding.resource.js';

/** The class of a store of bindings. Users can bind only roles whose rights they have themselves. */
function bindingStoreOf(definition: ResourceDefinition<BindingObject>) {
  @Injectable()
  class Store extends GenericResourceStore<BindingObject> {
    static readonly definition = definition;

    constructor(
      @Inject(StoreServices) services: StoreServices,
      @Inject(EscalationChecks) checks: EscalationChecks,
      @Inject(RoleStore) roles: RoleStore,
      @Inject(ClusterRoleStore) clusterRoles: ClusterRoleStore,
    ) {
      super({ ...services.storeOf(definition), writePolicy: new RoleBindingWritePolicy(definition, { ...checks, roles, clusterRoles }) });
    }
  }
  return Store;
}

const IMPORTS = [RegistryModule, EscalationModule, RoleModule, ClusterRoleModule];

export class RoleBindingStore extends bindingStoreOf(roleBindingDefinition) {}

@Module({ imports: IMPORTS, providers: [RoleBindingStore, serves(RoleBindingStore)], exports: [RoleBindingStore] })
export class RoleBindingModule {}

export class ClusterRoleBindingStore extends bindingStoreOf(clusterRoleBindingDefinition) {}

@Module({ imports: IMPORTS, providers: [ClusterRoleBindingStore, serves(ClusterRoleBindingStore)], exports: [ClusterRoleBindingStore] })
export class ClusterRoleBindingModule {}
