import type { KindRegistry } from '../apimachinery/codec/kind-registry.js';
import type { Serializer } from '../apimachinery/codec/serializer.js';
import { MeteredAuthenticator } from '../auth/authentication/metered-authenticator.js';
import { MeteredAuthorizer } from '../auth/authorization/metered-authorizer.js';
import { Impersonator } from '../auth/impersonation/impersonator.js';
import { ResourceRegistry } from '../registry/resource-registry.js';
import type { ServerMetrics } from '../telemetry/metrics/metric-registry.js';
import { createServerMetrics } from '../telemetry/metrics/metric-registry.js';
import { dashboardPages } from './dashboard/dashboard-pages.js';
import { DocumentWriter } from './discovery/document-writer.js';
import type { HealthCheck, HealthEndpoint } from './health/health-check.js';
import { RecentCheck } from './health/recent-check.js';
import type { HttpApplicationOptions } from './http-application-options.js';
import type { MemoryLedger } from './ledger/memory-ledger.js';
import { createMeteredLedger } from './ledger/metered-ledger.js';
import { addMetricsRoutes } from './metrics/metrics.controller.js';
import { RequestMetrics } from './metrics/request-metrics.js';
import { WatchMetrics } from './metrics/watch-metrics.js';
import { OutputNegotiation } from './negotiation/output-negotiation.js';
import { Serializers } from './negotiation/serializers.js';
import { OpenApiDocuments } from './openapi/openapi-documents.js';
import { OpenApiHandler } from './openapi/openapi-handler.js';
import { addOpenApiRoutes } from './openapi/openapi.controller.js';
import { createLimits } from './flow-control/create-limits.js';
import { RequestLog } from './pipeline/request-log.js';
import type { PipelineOptions } from './pipeline/request-pipeline.js';
import { RequestPipeline } from './pipeline/request-pipeline.js';
import { RefusalLog } from './pipeline/refusal-log.js';
import { RequestRecorder } from './pipeline/request-recorder.js';
import { RequestsUnderWay } from './pipeline/requests-under-way.js';
import type { ApiRequest } from './request/api-request.js';
import { ResourceEndpoints } from './resource-endpoint.js';
import { RouteTable } from './routing/route-table.js';
import { documentServer } from './served-document.js';
import { swaggerUiFiles } from './swagger/swagger-ui.js';
import { sendNothing } from './writers/answer.js';
import { ErrorWriter } from './writers/error-writer.js';

const HEALTH_ENDPOINTS: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** The parts of the HTTP layer, put together once from what the application is given. */
export interface HttpServices {
  readonly registry: ResourceRegistry;
  readonly routes: RouteTable;
  readonly pipeline: RequestPipeline;
  readonly underWay: RequestsUnderWay;
  readonly ledger: MemoryLedger;
  readonly healthChecks: readonly HealthCheck[];
  readonly endpoints: ResourceEndpoints;
  readonly documents: DocumentWriter;
  readonly metrics: ServerMetrics;
  readonly openApi: OpenApiHandler;
}

export interface MediaTypes {
  /** In order of preference. */
  readonly serializers: readonly Serializer[];
  readonly kinds: KindRegistry;
}

export function createHttpServices(options: HttpApplicationOptions, { serializers: all, kinds }: MediaTypes): HttpServices {
  const { authenticator, authorizer, requestTimeoutMs, minRequestTimeoutSeconds, now } = options;
  const { metrics = createServerMetrics() } = options;
  const serializers = new Serializers(all);
  const registry = new ResourceRegistry(options.resources, options.subresources);
  const underWay = new RequestsUnderWay();
  const ledger = createMeteredLedger(metrics.main, options.memory);
  const routes = new RouteTable(registry, serializers);
  const healthChecks = [...options.healthChecks.map((check) => new RecentCheck(check)), shutdownCheck(underWay)];
  addHealthRoutes(routes, healthChecks);
  addMetricsRoutes(routes);
  addOpenApiRoutes(routes);
  // Upstream knows CBOR only inside a group version.
  const plain = new OutputNegotiation(new Serializers(all.filter(({ mediaType }) => mediaType !== 'application/cbor')), false);
  const every = new OutputNegotiation(serializers, false);
  const errors = new ErrorWriter(plain, options.logger);
  const openApiDocuments = new OpenApiDocuments(registry, options.version.gitVersion, options.documents);
  addDocuments(routes, options, openApiDocuments, errors);
  const impersonator = new Impersonator(authorizer);
  const pipeline = new RequestPipeline({
    authenticator: new MeteredAuthenticator(authenticator, metrics.main),
    authorizer: new MeteredAuthorizer(authorizer, metrics.main),
    impersonator,
    routes,
    errors,
    underWay,
    ...watchersOf(options, metrics),
    ...createLimits(options, metrics.main),
    recorder: new RequestRecorder(options.auditor, new RefusalLog(options.logger, now)),
    requestTimeoutMs,
  });
  const services = {
    serializers,
    errors: new ErrorWriter(every, options.logger),
    kinds,
    authorizer,
    underWay,
    watchMetrics: new WatchMetrics(metrics.main),
    minRequestTimeoutSeconds,
    webSocketOrigins: new Set(options.webSocketAllowedOrigins),
    now,
  };
  const endpoints = new ResourceEndpoints({ registry, services, routes });
  const documents = new DocumentWriter(plain, every);
  const openApi = new OpenApiHandler(openApiDocuments, now());
  return { registry, routes, pipeline, underWay, ledger, healthChecks, endpoints, documents, metrics, openApi };
}

/** What is told of each request. */
function watchersOf(
  { logger, slowRequestMs: slowMs = 0, tracing }: HttpApplicationOptions,
  { main }: ServerMetrics,
): Pick<PipelineOptions, 'metrics' | 'log' | 'tracing'> {
  return { metrics: new RequestMetrics(main), log: new RequestLog({ logger, slowMs }), tracing };
}

/** Fails as soon as the server goes down, so that nobody sends it new clients: no outcome of it is kept. */
function shutdownCheck(underWay: RequestsUnderWay): HealthCheck {
  return {
    name: 'shutdown',
    on: ['readyz'],
    check: () => (underWay.draining ? Promise.reject(new Error('the server is shutting down')) : Promise.resolve()),
  };
}

function addHealthRoutes(routes: RouteTable, healthChecks: readonly HealthCheck[]): void {
  for (const endpoint of HEALTH_ENDPOINTS) {
    routes.plain(`/${endpoint}`, `/${endpoint}`, { measured: true });
    for (const check of healthChecks) {
      if (check.on.includes(endpoint)) routes.plain(`/${endpoint}/${check.name}`, `/${endpoint}/-`);
    }
  }
}

/** The way of a browser that asks for `/`; others are answered otherwise there. */
function ledTo(location: string): (request: ApiRequest) => Promise<void> {
  return (request) => {
    sendNothing(request, 302, { location, vary: 'Accept', 'content-length': 0 });
    return Promise.resolve();
  };
}

/** What is served from bytes that are the same for everybody. */
function addDocuments(
  routes: RouteTable,
  { documents = [], swaggerUi, ui }: HttpApplicationOptions,
  { readers }: OpenApiDocuments,
  errors: ErrorWriter,
): void {
  type Serve = (request: ApiRequest) => Promise<void>;
  const answering =
    (serve: Serve): Serve =>
    (request) =>
      serve(request).catch((error: unknown) => errors.write(request, error));
  for (const document of documents) routes.document(document.path, document.mediaType, answering(documentServer(document)));
  const dashboard = ui ? dashboardPages() : new Map<string, Serve>();
  for (const [path, serve] of dashboard) routes.page(path, answering(serve));
  if (dashboard.size > 0 || swaggerUi) routes.landing(ledTo(dashboard.size > 0 ? 'ui/' : 'swagger'));
  if (!swaggerUi) return;
  for (const [path, file] of swaggerUiFiles(readers)) {
    const serve = answering((request) => file.serve(request));
    routes.page(path, serve);
  }
}
