import { Module } from '@nestjs/common';
import { EndpointsModule } from '../../../../endpoints/endpoints.module.js';
import { RegistryModule } from '../../../../registry/registry.module.js';
import { TelemetryModule } from '../../../../telemetry/telemetry.module.js';
import { LeaseModule } from '../lease.module.js';
import { LeaseLocks } from './lease-locks.js';
import { LeaseLockEndpoint } from './lease-lock.endpoint.js';

/** Locks over HTTP for clients without a library. */
@Module({
  imports: [EndpointsModule, RegistryModule, TelemetryModule, LeaseModule],
  providers: [LeaseLocks, LeaseLockEndpoint],
})
export class LeaseLockModule {}
