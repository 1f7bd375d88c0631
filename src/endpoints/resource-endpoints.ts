import { type OnModuleInit, Inject, Injectable } from '@nestjs/common';
import type { ResourceVersionDefinition, Verb } from '../registry/resource/resource-definition.js';
import { ResourceRegistry } from '../registry/resource-registry.js';
import type { ResourceStore } from '../registry/resource/resource-store.js';
import { ServedVersions } from '../registry/serves.js';
import type { GaugeFamily } from '../telemetry/metrics/metric-family.js';
import { type ServerMetrics, SERVER_METRICS } from '../telemetry/metrics/metric-registry.js';
import { HANDLERS } from './handlers/handlers.js';
import type { ApiRequest } from './request/api-request.js';
import { type BoundResource, RouteTable } from './routing/route-table.js';
import { RequestScope, ScopeServices } from './scope/request-scope.js';

/**
 * Binds the routes of all served resources to the handlers of their verbs. A request then goes from the pipeline directly to its handler:
 * the framework's two routers would cost 10 of the 100 µs of a renewal.
 */
@Injectable()
export class ResourceEndpoints implements OnModuleInit {
  private readonly deprecated: GaugeFamily;

  constructor(
    private readonly registry: ResourceRegistry,
    private readonly versions: ServedVersions,
    private readonly services: ScopeServices,
    private readonly routes: RouteTable,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
  ) {
    this.deprecated = main.gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated versions that have been requested.',
      labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    });
  }

  onModuleInit(): void {
    for (const { version, store, subresources } of this.versions.served) {
      const { group, resource } = store.definition;
      if (!this.registry.serves(store.definition, version)) continue;
      const bound = { group, resource, version: version.name };
      this.#bind(bound, store, version);
      for (const { name, store: own } of subresources) {
        const isSameResource = own.definition.resource === resource;
        this.#bind({ ...bound, subresource: name }, own, isSameResource ? version : own.definition.storageVersion);
      }
    }
  }

  #bind(resource: BoundResource, store: ResourceStore, version: ResourceVersionDefinition): void {
    const scope = new RequestScope(store, version, this.services);
    this.routes.bind(resource, (verb, request) => {
      const { deprecation } = version;
      if (deprecation !== undefined) this.#warn(resource, request, deprecation);
      return handle(scope, verb, request);
    });
  }

  #warn({ group, version, resource, subresource = '' }: BoundResource, request: ApiRequest, deprecation: string): void {
    request.warn(deprecation);
    const removed = /unavailable in v(\d+\.\d+)/.exec(deprecation)?.[1] ?? '';
    this.deprecated.with(group, version, resource, subresource, removed).set(1);
    if (!request.audit) return;
    request.audit.annotateAtEnd('k8s.io/deprecated', 'true');
    if (removed !== '') request.audit.annotateAtEnd('k8s.io/removed-release', removed);
  }
}

/** Handles a request, and responds to errors of the handler. */
function handle(scope: RequestScope, verb: Verb, request: ApiRequest): Promise<void> {
  return HANDLERS[verb](scope, request).catch((error: unknown) => scope.services.errors.write(request, error));
}
