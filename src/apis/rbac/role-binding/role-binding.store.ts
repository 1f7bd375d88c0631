import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import type { ResourceStore } from '../../../registry/resource/resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { BindingObject } from '../binding-defaults.js';
import { ClusterRoleStore } from '../cluster-role/cluster-role.store.js';
import { EscalationChecks } from '../escalation/escalation-checks.js';
import { RoleBindingWritePolicy } from '../escalation/role-binding-write-policy.js';
import { RoleStore } from '../role/role.store.js';
import { roleBindingDefinition } from './role-binding.resource.js';

/** The store of role bindings. Users can bind only roles whose rights they have themselves. */
@Injectable()
export class RoleBindingStore extends GenericResourceStore<BindingObject> {
  static readonly definition = roleBindingDefinition;

  constructor(services: StoreServices, checks: EscalationChecks, roles: RoleStore, clusterRoles: ClusterRoleStore) {
    const referenced = { roles: roles as unknown as ResourceStore, clusterRoles: clusterRoles as unknown as ResourceStore };
    super({
      ...services.storeOf(roleBindingDefinition),
      writePolicy: new RoleBindingWritePolicy(roleBindingDefinition, { ...checks, ...referenced }),
    });
  }
}
