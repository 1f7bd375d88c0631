import { Injectable, Module } from '@nestjs/common';
import { AuthModule } from '../../../auth/auth.module.js';
import { AuthorizationRules } from '../../../auth/authorization/authorization-rules.js';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { serves } from '../../../registry/serves.js';
import { StoreServices } from '../../../registry/store-services.js';
import { leaseDefinition, leaseV1, leaseV1beta1 } from './lease.resource.js';
import type { Lease } from './lease.schema.js';
import { NodeLeaseWritePolicy } from './node-lease-write-policy.js';

/** The store of leases, which all versions share. */
@Injectable()
export class LeaseStore extends GenericResourceStore<Lease> {
  static readonly definition = leaseDefinition;

  constructor(services: StoreServices, { restrictsNodes }: AuthorizationRules) {
    super({ ...services.storeOf(leaseDefinition), writePolicy: restrictsNodes ? new NodeLeaseWritePolicy() : undefined });
  }
}

/** Leases. */
@Module({
  imports: [RegistryModule, AuthModule],
  providers: [LeaseStore, serves(LeaseStore, leaseV1), serves(LeaseStore, leaseV1beta1)],
  exports: [LeaseStore],
})
export class LeaseModule {}
