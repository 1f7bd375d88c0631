import { type OnModuleInit, Injectable } from '@nestjs/common';
import type { ResourceVersionDefinition, Verb } from '../registry/resource/resource-definition.js';
import { ResourceRegistry } from '../registry/resource-registry.js';
import type { ResourceStore } from '../registry/resource/resource-store.js';
import { ServedVersions } from '../registry/served-versions.js';
import { HANDLERS } from './handlers/handlers.js';
import type { ApiRequest } from './request/api-request.js';
import { type BoundResource, RouteTable } from './routing/route-table.js';
import { RequestScope } from './scope/request-scope.js';
import { ScopeServices } from './scope/scope-services.js';

/**
 * Binds the routes of all served resources to the handlers of their verbs. A request then goes from the pipeline directly to its handler:
 * the framework's two routers would cost 10 of the 100 µs of a renewal.
 */
@Injectable()
export class ResourceEndpoints implements OnModuleInit {
  constructor(
    private readonly registry: ResourceRegistry,
    private readonly versions: ServedVersions,
    private readonly services: ScopeServices,
    private readonly routes: RouteTable,
  ) {}

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
    this.routes.bind(resource, (verb, request) => handle(scope, verb, request));
  }
}

/** Handles a request, and responds to errors of the handler. */
function handle(scope: RequestScope, verb: Verb, request: ApiRequest): Promise<void> {
  const { deprecation } = scope.version;
  if (deprecation !== undefined) warn(request, deprecation);
  return HANDLERS[verb](scope, request).catch((error: unknown) => scope.services.errors.write(request, error));
}

function warn(request: ApiRequest, deprecation: string): void {
  request.warn(deprecation);
  if (!request.audit) return;
  request.audit.annotate('k8s.io/deprecated', 'true');
  const removed = /unavailable in v(\d+\.\d+)/.exec(deprecation)?.[1];
  if (removed !== undefined) request.audit.annotate('k8s.io/removed-release', removed);
}
