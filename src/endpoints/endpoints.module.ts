import { type OnModuleInit, Inject, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { StorageModule } from '../storage/storage.module.js';
import type { Logger } from 'pino';
import { LOGGER } from '../telemetry/logger.js';
import { type ServerMetrics, SERVER_METRICS } from '../telemetry/metrics/metric-registry.js';
import { TelemetryModule } from '../telemetry/telemetry.module.js';
import { DashboardPages } from './dashboard/dashboard-pages.js';
import { FailedHandshakes } from './connections/failed-handshakes.js';
import { DashboardController, LandingController } from './dashboard/dashboard.controller.js';
import { CustomResourcesController, DiscoveryController } from './discovery/discovery.controller.js';
import { DocumentWriter } from './discovery/document-writer.js';
import { ApiAdapter } from './http-server/api-adapter.js';
import { type TlsMaterial, TLS_MATERIAL } from './http-server/tls-material.js';
import { MemoryLedger, createMeteredLedger } from './ledger/memory-ledger.js';
import { HealthChecks } from './monitoring/health-checks.js';
import { HealthController, HealthMetrics } from './monitoring/health.controller.js';
import { MetricsController } from './monitoring/metrics.controller.js';
import { MediaTypes } from './negotiation/output-negotiation.js';
import { OpenApiDocuments } from './openapi/openapi-documents.js';
import { OpenApiController, OpenApiHandler } from './openapi/openapi.controller.js';
import { OpenIdController, OpenIdDocuments } from './openid/openid.controller.js';
import { AuditRecorder, DeniedRequestLog } from './pipeline/audit-recorder.js';
import { RenewedAccess, RequestAccess } from './pipeline/renewed-access.js';
import { RequestLimiting } from './pipeline/serving-filters.js';
import { RequestObservers } from './pipeline/request-observers.js';
import { RequestPipeline } from './pipeline/request-pipeline.js';
import { RefusalsModule } from './refusals/refusals.module.js';
import { RequestsInFlight } from './request/requests-in-flight.js';
import { ResourceEndpoints } from './resource-endpoints.js';
import { ErrorWriter } from './response/error-writer.js';
import { RouteTable } from './routing/route-table.js';
import { ScopeServices, WatchServices } from './scope/request-scope.js';
import { ServingSettings, servingLimits } from './settings/serving.settings.js';
import { SwaggerController } from './swagger/swagger.controller.js';

const MEMORY_LEDGER = {
  provide: MemoryLedger,
  inject: [SERVER_METRICS, LOGGER, ServingSettings],
  useFactory: ({ main }: ServerMetrics, logger: Logger, settings: ServingSettings) =>
    createMeteredLedger(main, logger, servingLimits(settings).memory),
};

/**
 * The generic HTTP layer. Requests of resources go from the pipeline straight to their handlers; Nest's router brings the others (discovery,
 * documents, health, metrics, Swagger UI, the dashboard) to the controllers.
 */
@Module({
  imports: [RegistryModule, TelemetryModule, StorageModule, AuthModule, AuditModule, RefusalsModule],
  controllers: [
    DiscoveryController,
    CustomResourcesController,
    HealthController,
    MetricsController,
    OpenIdController,
    OpenApiController,
    SwaggerController,
    DashboardController,
    LandingController,
  ],
  providers: [
    MediaTypes,
    ErrorWriter,
    RouteTable,
    RequestsInFlight,
    MEMORY_LEDGER,
    DeniedRequestLog,
    FailedHandshakes,
    AuditRecorder,
    RequestAccess,
    RenewedAccess,
    RequestLimiting,
    RequestObservers,
    RequestPipeline,
    WatchServices,
    ScopeServices,
    ResourceEndpoints,
    DocumentWriter,
    OpenApiDocuments,
    OpenApiHandler,
    HealthChecks,
    HealthMetrics,
    OpenIdDocuments,
    DashboardPages,
  ],
  exports: [RouteTable, ScopeServices, RequestPipeline, RequestLimiting, RenewedAccess, OpenApiDocuments],
})
export class EndpointsModule implements OnModuleInit {
  @Inject(FailedHandshakes) private readonly handshakes!: FailedHandshakes;

  constructor(
    private readonly host: HttpAdapterHost<ApiAdapter>,
    private readonly pipeline: RequestPipeline,
    private readonly inFlight: RequestsInFlight,
    private readonly ledger: MemoryLedger,
    @Inject(TLS_MATERIAL) private readonly tls: TlsMaterial,
  ) {}

  onModuleInit(): void {
    const { pipeline, inFlight, ledger, handshakes, tls } = this;
    this.host.httpAdapter.attach({ pipeline, inFlight, ledger, handshakes }, tls);
  }
}
