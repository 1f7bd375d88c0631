import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceDefinition, ResourceVersionDefinition } from '../registry/resource-definition.js';
import type { ResourceRegistry } from '../registry/resource-registry.js';
import type { Handler } from './handlers/handler.js';
import type { RequestPipeline } from './pipeline/request-pipeline.js';
import { apiRequestOf } from './pipeline/request-pipeline.js';
import type { ScopeServices } from './request/request-scope.js';
import { RequestScope } from './request/request-scope.js';

/** Between the routes of the framework and the handlers: finds the request that the pipeline made, and answers what handlers throw. */
export class ResourceEndpoint {
  readonly #scope: RequestScope;
  readonly #pipeline: RequestPipeline;

  constructor(scope: RequestScope, pipeline: RequestPipeline) {
    this.#scope = scope;
    this.#pipeline = pipeline;
  }

  serve(handler: Handler, { raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.hijack();
    const request = apiRequestOf(raw);
    const { deprecation } = this.#scope.version;
    if (deprecation !== undefined) request.warn(deprecation);
    return handler(this.#scope, request).catch((error: unknown) => this.#pipeline.fail(request, error));
  }
}

/** Makes the endpoints of the installed resources. */
export class ResourceEndpoints {
  readonly #registry: ResourceRegistry;
  readonly #services: ScopeServices;
  readonly #pipeline: RequestPipeline;

  constructor(registry: ResourceRegistry, services: ScopeServices, pipeline: RequestPipeline) {
    this.#registry = registry;
    this.#services = services;
    this.#pipeline = pipeline;
  }

  /** Throws where the definition is not installed in this version. */
  of(definition: ResourceDefinition, version: ResourceVersionDefinition): ResourceEndpoint {
    return new ResourceEndpoint(new RequestScope(this.#registry.find(definition, version), this.#services), this.#pipeline);
  }

  /** Undefined where the resource has no such subresource. */
  ofSubresource(definition: ResourceDefinition, version: ResourceVersionDefinition, name: string): ResourceEndpoint | undefined {
    const subresource = this.#registry.subresourcesOf(definition).find((each) => each.name === name);
    if (!subresource) return undefined;
    const served = { store: subresource.store, definition: subresource.store.definition, version };
    return new ResourceEndpoint(new RequestScope(served, this.#services), this.#pipeline);
  }
}
