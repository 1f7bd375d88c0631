import type { KindRegistry } from '../apimachinery/codec/kind-registry.js';
import type { Serializer } from '../apimachinery/codec/serializer.js';
import { ResourceRegistry } from '../registry/resource-registry.js';
import { DocumentSchemas } from './discovery/document-schemas.js';
import { DocumentWriter } from './discovery/document-writer.js';
import type { HealthEndpoint } from './health/health-check.js';
import type { HttpApplicationOptions } from './http-application-options.js';
import { OutputNegotiation } from './negotiation/output-negotiation.js';
import { Serializers } from './negotiation/serializers.js';
import { OpenApiDocuments } from './openapi/openapi-documents.js';
import { OpenApiHandler } from './openapi/openapi-handler.js';
import { addOpenApiRoutes } from './openapi/openapi.controller.js';
import { RequestPipeline } from './pipeline/request-pipeline.js';
import { RequestsUnderWay } from './pipeline/requests-under-way.js';
import { ResourceEndpoints } from './resource-endpoint.js';
import { RouteTable } from './routing/route-table.js';
import { ErrorWriter } from './writers/error-writer.js';

const HEALTH_ENDPOINTS: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** The parts of the HTTP layer, put together once from what the application is given. */
export interface HttpServices {
  readonly registry: ResourceRegistry;
  readonly routes: RouteTable;
  readonly pipeline: RequestPipeline;
  readonly underWay: RequestsUnderWay;
  readonly endpoints: ResourceEndpoints;
  readonly documents: DocumentWriter;
  readonly openApi: OpenApiHandler;
}

export interface MediaTypes {
  /** In order of preference. */
  readonly serializers: readonly Serializer[];
  readonly kinds: KindRegistry;
}

export function createHttpServices(options: HttpApplicationOptions, { serializers: all, kinds }: MediaTypes): HttpServices {
  const { authenticator, authorizer, requestTimeoutMs, minRequestTimeoutSeconds, now } = options;
  const serializers = new Serializers(all);
  const registry = new ResourceRegistry(options.resources, options.subresources);
  const underWay = new RequestsUnderWay();
  const routes = new RouteTable(registry, serializers);
  addHealthRoutes(routes, options);
  addOpenApiRoutes(routes);
  const errors = new ErrorWriter(new OutputNegotiation(serializers, false), options.logger);
  const pipeline = new RequestPipeline({ authenticator, authorizer, routes, errors, underWay, requestTimeoutMs, now });
  const services = { serializers, kinds, authorizer, underWay, minRequestTimeoutSeconds, now };
  const endpoints = new ResourceEndpoints({ registry, services, pipeline, routes });
  // Discovery is never CBOR.
  const documentTypes = new Serializers(all.filter((serializer) => serializer.mediaType !== 'application/cbor'));
  const documents = new DocumentWriter(new OutputNegotiation(documentTypes, false), new DocumentSchemas());
  const openApi = new OpenApiHandler(new OpenApiDocuments(registry, options.version.gitVersion), now());
  return { registry, routes, pipeline, underWay, endpoints, documents, openApi };
}

function addHealthRoutes(routes: RouteTable, { healthChecks }: HttpApplicationOptions): void {
  for (const endpoint of HEALTH_ENDPOINTS) {
    routes.plain(`/${endpoint}`, `/${endpoint}`);
    for (const check of healthChecks) {
      if (check.on.includes(endpoint)) routes.plain(`/${endpoint}/${check.name}`, `/${endpoint}/-`);
    }
  }
}
