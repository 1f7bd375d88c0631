import { Module } from '@nestjs/common';
import { RefusalsModule } from '../../../endpoints/refusals/refusals.module.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { TelemetryModule } from '../../../telemetry/telemetry.module.js';
import { RefusedRequestStore } from './refused-request.store.js';
import { UnledLeases } from './unled-leases.js';

/** The store of refused requests. */
@Module({
  imports: [RegistryModule, RefusalsModule, TelemetryModule],
  providers: [RefusedRequestStore, UnledLeases],
  exports: [RefusedRequestStore],
})
export class RefusedRequestModule {}
