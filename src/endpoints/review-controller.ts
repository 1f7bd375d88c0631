import type { Type } from '@nestjs/common';
import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { ResourceEndpoint } from './resource-endpoint.js';
import { ResourceEndpoints } from './resource-endpoint.js';
import { groupVersionPath } from './routing/resource-routes.js';

/** The controller class of a review: a question that is posted and answered, and never stored. */
export function createReviewController(definition: ResourceDefinition): Type<object> {
  const { group, resource, namespaced, storageVersion: version } = definition;

  @Controller(groupVersionPath(group, version.name))
  class ReviewController {
    readonly #endpoint: ResourceEndpoint;

    constructor(@Inject(ResourceEndpoints) endpoints: ResourceEndpoints) {
      this.#endpoint = endpoints.of(definition, version);
    }

    @Post(namespaced ? `namespaces/:namespace/${resource}` : resource)
    create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.#endpoint.serve('create', request, reply);
    }
  }
  return ReviewController;
}
