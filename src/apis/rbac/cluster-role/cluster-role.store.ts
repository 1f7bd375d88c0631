import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { ClusterRole } from './cluster-role.js';
import { EscalationChecks } from '../escalation/escalation-checks.js';
import { RoleWritePolicy } from '../escalation/role-write-policy.js';
import { clusterRoleDefinition } from './cluster-role.resource.js';

/** The store of cluster roles. Users can grant a role only rights that they have themselves. */
@Injectable()
export class ClusterRoleStore extends GenericResourceStore<ClusterRole> {
  static readonly definition = clusterRoleDefinition;

  constructor(services: StoreServices, checks: EscalationChecks) {
    super({ ...services.storeOf(clusterRoleDefinition), writePolicy: new RoleWritePolicy(clusterRoleDefinition, checks) });
  }
}
