import { Module } from '@nestjs/common';
import { EndpointsModule } from '../../../../endpoints/endpoints.module.js';
import { RegistryModule } from '../../../../registry/registry.module.js';
import { StorageModule } from '../../../../storage/storage.module.js';
import { LeaseStateEndpoint } from './lease-state.endpoint.js';
import { LeaseStates } from './lease-states.js';

/** States of Terraform, beside the leases that lock them. */
@Module({ imports: [EndpointsModule, RegistryModule, StorageModule], providers: [LeaseStates, LeaseStateEndpoint] })
export class LeaseStateModule {}
