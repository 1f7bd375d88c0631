import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { serves } from '../../../registry/serves.js';
import { storeOf } from '../../../registry/store-of.js';
import { leaseTermDefinition, leaseTermV1 } from './lease-term.resource.js';

class LeaseTermStore extends storeOf(leaseTermDefinition) {}

@Module({
  imports: [RegistryModule],
  providers: [LeaseTermStore, serves(LeaseTermStore, leaseTermV1)],
  exports: [LeaseTermStore],
})
export class LeaseTermModule {}
