import { Module } from '@nestjs/common';
import { RefusalsModule } from '../../../endpoints/refusals/refusals.module.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { serves } from '../../../registry/serves.js';
import { TelemetryModule } from '../../../telemetry/telemetry.module.js';
import { refusedRequestV1 } from './refused-request.resource.js';
import { RefusedRequestStore } from './refused-request.store.js';
import { UnledLeases } from './unled-leases.js';

@Module({
  imports: [RegistryModule, RefusalsModule, TelemetryModule],
  providers: [RefusedRequestStore, UnledLeases, serves(RefusedRequestStore, refusedRequestV1)],
})
export class RefusedRequestModule {}
