import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import { AuthorizationRules } from '../../../auth/authorization/authorization-rules.js';
import { NodeLeaseWritePolicy } from './node-lease-write-policy.js';
import type { Lease } from './lease.js';
import { leaseDefinition } from './lease.resource.js';

/** The store of leases. */
@Injectable()
export class LeaseStore extends GenericResourceStore<Lease> {
  static readonly definition = leaseDefinition;

  constructor(services: StoreServices, { restrictsNodes }: AuthorizationRules) {
    super({ ...services.storeOf(leaseDefinition), writePolicy: restrictsNodes ? new NodeLeaseWritePolicy() : undefined });
  }
}
