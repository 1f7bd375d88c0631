import type { Type } from '@nestjs/common';
import { Controller, Get, Inject, Patch, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceDefinition, ResourceVersionDefinition, Verb } from '../registry/resource-definition.js';
import { ResourceEndpoint, ResourceEndpoints } from './resource-endpoint.js';
import { groupVersionPath } from './routing/resource-routes.js';

/** The controller class of a subresource, such as `namespaces/NAME/finalize`. Which of its verbs are served, the route table decides. */
export function createSubresourceController(
  definition: ResourceDefinition,
  version: ResourceVersionDefinition,
  name: string,
): Type<object> {
  const { resource, namespaced } = definition;
  const path = `${namespaced ? `namespaces/:namespace/${resource}` : resource}/:name/${name}`;

  @Controller(groupVersionPath(definition.group, version.name))
  class SubresourceController {
    readonly #endpoint: ResourceEndpoint | undefined;

    constructor(@Inject(ResourceEndpoints) endpoints: ResourceEndpoints) {
      this.#endpoint = endpoints.ofSubresource(definition, version, name);
    }

    @Get(path)
    get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> | undefined {
      return this.#serve('get', request, reply);
    }

    @Post(path)
    create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> | undefined {
      return this.#serve('create', request, reply);
    }

    @Put(path)
    update(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> | undefined {
      return this.#serve('update', request, reply);
    }

    @Patch(path)
    patch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> | undefined {
      return this.#serve('patch', request, reply);
    }

    #serve(verb: Verb, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
      return this.#endpoint?.serve(verb, request, reply);
    }
  }
  return SubresourceController;
}
