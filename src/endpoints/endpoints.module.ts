import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { ResourceRegistry } from '../registry/resource-registry.js';
import { DiscoveryController, VERSION_INFO } from './discovery/discovery.controller.js';
import { DocumentWriter } from './discovery/document-writer.js';
import { HEALTH_CHECKS } from './health/health-check.js';
import { HealthMetrics } from './health/health-metrics.js';
import { HEALTH_LOGGER, HealthController } from './health/health.controller.js';
import type { HttpApplicationOptions } from './http-application-options.js';
import type { HttpServices } from './http-services.js';
import { MetricsController, SERVER_METRICS } from './metrics/metrics.controller.js';
import { OpenApiHandler } from './openapi/openapi-handler.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { RequestPipeline } from './pipeline/request-pipeline.js';
import { ResourceEndpoints } from './resource-endpoint.js';
import { RouteTable } from './routing/route-table.js';

/** The generic HTTP layer: gives controllers of resources their endpoints, and serves discovery and health itself. */
@Module({})
export class EndpointsModule {
  /** Import the same result wherever endpoints are needed. */
  static register(services: HttpServices, options: HttpApplicationOptions): DynamicModule {
    return {
      module: EndpointsModule,
      controllers: [DiscoveryController, HealthController, MetricsController, OpenApiController],
      providers: [
        { provide: ResourceRegistry, useValue: services.registry },
        { provide: RouteTable, useValue: services.routes },
        { provide: RequestPipeline, useValue: services.pipeline },
        { provide: ResourceEndpoints, useValue: services.endpoints },
        { provide: DocumentWriter, useValue: services.documents },
        { provide: OpenApiHandler, useValue: services.openApi },
        { provide: HEALTH_CHECKS, useValue: services.healthChecks },
        { provide: HEALTH_LOGGER, useValue: options.logger },
        { provide: HealthMetrics, useValue: new HealthMetrics(services.metrics.slis) },
        { provide: SERVER_METRICS, useValue: services.metrics },
        { provide: VERSION_INFO, useValue: options.version },
      ],
      exports: [ResourceEndpoints, ResourceRegistry],
    };
  }
}
