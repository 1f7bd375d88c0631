import { Module } from '@nestjs/common';
import { TelemetryModule } from '../../telemetry/telemetry.module.js';
import { RefusedRequests } from './refused-requests.js';

/** What was refused lately; for what sends errors, and for the resource that shows them. */
@Module({ imports: [TelemetryModule], providers: [RefusedRequests], exports: [RefusedRequests] })
export class RefusalsModule {}
