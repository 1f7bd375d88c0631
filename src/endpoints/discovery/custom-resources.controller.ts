import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { resourceNotFound } from '../../apimachinery/errors/status-errors.js';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import { sendResponse } from '../response/send-response.js';
import { RouteTable } from '../routing/route-table.js';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const JSON_TYPE = 'application/json';
/** The list of definitions. It is always empty, so its version never changes. */
const NONE = Buffer.from(
  `${JSON.stringify({
    kind: 'CustomResourceDefinitionList',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { resourceVersion: '1' },
    items: [],
  })}\n`,
);

/**
 * The empty list of custom resource definitions. kubectl reads it, without discovery, before it says that a kind is unknown; without it,
 * kubectl says that it cannot list them (cli-runtime pkg/resource/crd_finder.go).
 */
@Controller()
export class CustomResourcesController {
  constructor(
    private readonly pipeline: RequestPipeline,
    routes: RouteTable,
  ) {
    routes.unlisted(PATH, JSON_TYPE);
  }

  @Get(PATH)
  list(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => {
      if (request.info.verb !== 'list') throw resourceNotFound();
      sendResponse(request, 200, JSON_TYPE, NONE);
    });
  }
}
