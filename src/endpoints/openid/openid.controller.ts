import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import { RouteTable } from '../routing/route-table.js';
import { CONFIGURATION_PATH, CONFIGURATION_TYPE, JWKS_PATH, JWKS_TYPE, OpenIdDocuments } from './openid-documents.js';

/** The issuer's configuration and its keys, to users who may GET their paths. */
@Controller()
export class OpenIdController {
  constructor(
    private readonly pipeline: RequestPipeline,
    private readonly documents: OpenIdDocuments,
    routes: RouteTable,
  ) {
    if (!documents.areServed) return;
    routes.document(CONFIGURATION_PATH, CONFIGURATION_TYPE);
    routes.document(JWKS_PATH, JWKS_TYPE);
  }

  @Get(CONFIGURATION_PATH)
  configuration(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.documents.configuration(raw.socket.localPort ?? 0).serve(request));
  }

  @Get(JWKS_PATH)
  jwks(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.documents.jwks.serve(request));
  }
}
