import type { Type } from '@nestjs/common';
import { Controller, Delete, Get, Inject, Patch, Post, Put, Req, Res } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceDefinition, ResourceVersionDefinition } from '../registry/resource-definition.js';
import { createResource } from './handlers/create.js';
import { deleteCollectionResource } from './handlers/delete-collection.js';
import { deleteResource } from './handlers/delete.js';
import { getResource } from './handlers/get.js';
import type { Handler } from './handlers/handler.js';
import { listResource, watchResource } from './handlers/list.js';
import { patchResource } from './handlers/patch.js';
import { updateResource } from './handlers/update.js';
import { ResourceEndpoint, ResourceEndpoints } from './resource-endpoint.js';
import { groupVersionPath } from './routing/resource-routes.js';

/**
 * The controller class of a resource in a version: a route for each of its verbs, described for Swagger, that hands the request to
 * the verb's handler. What a resource does beyond that stands in its definition.
 */
export function createResourceController(definition: ResourceDefinition, version: ResourceVersionDefinition): Type<object> {
  const { collection, item, lists, watches } = resourcePaths(definition);

  @Controller(groupVersionPath(definition.group, version.name))
  @ApiBearerAuth()
  class ResourceController {
    readonly #endpoint: ResourceEndpoint;

    constructor(@Inject(ResourceEndpoints) endpoints: ResourceEndpoints) {
      this.#endpoint = endpoints.of(definition, version);
    }

    @Get(lists)
    list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve(listResource, request, reply);
    }

    @Get(watches)
    watch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve(watchResource, request, reply);
    }

    @Post(collection)
    create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve(createResource, request, reply);
    }

    @Delete(collection)
    deleteCollection(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve(deleteCollectionResource, request, reply);
    }

    @Get(item)
    get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve(getResource, request, reply);
    }

    @Put(item)
    update(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve(updateResource, request, reply);
    }

    @Patch(item)
    patch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve(patchResource, request, reply);
    }

    @Delete(item)
    delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#serve(deleteResource, request, reply);
    }

    #serve(handler: Handler, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      return this.#endpoint.serve(handler, request, reply);
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
