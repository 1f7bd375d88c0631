import { Injectable, Module } from '@nestjs/common';
import { forbidden } from '../../../apimachinery/errors/status-errors.js';
import { AuthModule } from '../../../auth/auth.module.js';
import { AuthorizationRules } from '../../../auth/authorization/authorizer.js';
import { nodeOf } from '../../../auth/authorization/node-authorizer.js';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import type { PolicedWrite, WritePolicy } from '../../../registry/resource/resource-store.js';
import { serves } from '../../../registry/serves.js';
import { StoreServices } from '../../../registry/store-of.js';
import { leaseDefinition, leaseV1, leaseV1beta1 } from './lease.resource.js';
import type { Lease } from './lease.schema.js';

/**
 * A node may create only a lease of its own name. Authorization cannot check that, since a POST has no name in its URL (kubernetes
 * plugin/pkg/admission/noderestriction); it checks all other writes.
 */
class NodeLeaseWritePolicy implements WritePolicy<Lease> {
  check({ context, object, live }: PolicedWrite<Lease>): void {
    if (live) return;
    const node = nodeOf(context.user);
    const name = object.metadata.name ?? '';
    if (node === undefined || node === name) return;
    throw forbidden(leaseDefinition, name, 'can only access node lease with the same name as the requesting node');
  }
}

/** The store of leases, which all versions share. */
@Injectable()
export class LeaseStore extends GenericResourceStore<Lease> {
  static readonly definition = leaseDefinition;

  constructor(services: StoreServices, { restrictsNodes }: AuthorizationRules) {
    super({ ...services.storeOf(leaseDefinition), writePolicy: restrictsNodes ? new NodeLeaseWritePolicy() : undefined });
  }
}

@Module({
  imports: [RegistryModule, AuthModule],
  providers: [LeaseStore, serves(LeaseStore, leaseV1), serves(LeaseStore, leaseV1beta1)],
  exports: [LeaseStore],
})
export class LeaseModule {}
