import type { Type } from '@nestjs/common';
import { Controller, Delete, Get, Inject, Patch, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceDefinition, ResourceVersionDefinition, Verb } from '../registry/resource-definition.js';
import { ResourceEndpoint, ResourceEndpoints } from './resource-endpoint.js';
import { groupVersionPath } from './routing/resource-routes.js';

/**
 * The controller class of a resource in a version: a route for each of its verbs that hands the request to
 * the verb's handler. What a resource does beyond that stands in its definition.
 */
export function createResourceController(definition: ResourceDefinition, version: ResourceVersionDefinition): Type<object> {
  const { collection, item, lists, watches } = resourcePaths(definition);

  @Controller(groupVersionPath(definition.group, version.name))
  class ResourceController {
    readonly #endpoint: ResourceEndpoint;

    constructor(@Inject(ResourceEndpoints) endpoints: ResourceEndpoints) {
      this.#endpoint = endpoints.of(definition, version);
    }

    @Get(lists)
    list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve('list', request, reply);
    }

    @Get(watches)
    watch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve('watch', request, reply);
    }

    @Post(collection)
    create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve('create', request, reply);
    }

    @Delete(collection)
    deleteCollection(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve('deletecollection', request, reply);
    }

    @Get(item)
    get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve('get', request, reply);
    }

    @Put(item)
    update(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve('update', request, reply);
    }

    @Patch(item)
    patch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve('patch', request, reply);
    }

    @Delete(item)
    delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve('delete', request, reply);
    }

    #serve(verb: Verb, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      return this.#endpoint.serve(verb, request, reply);
    }
  }
  return ResourceController;
}

/** The routes of a resource below its group version. */
function resourcePaths({ resource, namespaced }: ResourceDefinition) {
  const collection = namespaced ? `namespaces/:namespace/${resource}` : resource;
  const item = `${collection}/:name`;
  const lists = namespaced ? [resource, collection] : [resource];
  return { collection, item, lists, watches: [...lists, item].map((path) => `watch/${path}`) };
}
