import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { ClusterRole } from '../cluster-role/cluster-role.js';
import { EscalationChecks } from '../escalation/escalation-checks.js';
import { RoleWritePolicy } from '../escalation/role-write-policy.js';
import { roleDefinition } from './role.resource.js';

/** The store of roles. Users can grant a role only rights that they have themselves. */
@Injectable()
export class RoleStore extends GenericResourceStore<ClusterRole> {
  static readonly definition = roleDefinition;

  constructor(services: StoreServices, checks: EscalationChecks) {
    super({ ...services.storeOf(roleDefinition), writePolicy: new RoleWritePolicy(roleDefinition, checks) });
  }
}
