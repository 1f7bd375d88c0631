import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import { RouteTable } from '../routing/route-table.js';
import { OpenApiHandler } from './openapi-handler.js';

const V3_ROOT = '/openapi/v3/';

/** /openapi/v2 and /openapi/v3. All methods get the same response. */
@Controller('openapi')
export class OpenApiController {
  constructor(
    private readonly pipeline: RequestPipeline,
    private readonly handler: OpenApiHandler,
    routes: RouteTable,
  ) {
    routes.plain('/openapi/v2', '/openapi/v2');
    routes.plain('/openapi/v3', '/openapi/v3');
    routes.prefix(V3_ROOT, `${V3_ROOT}-`);
  }

  @Get('v2')
  v2(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.handler.writeV2(request));
  }

  @Get('v3')
  index(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.handler.writeIndex(request));
  }

  @Get('v3/:path')
  v3(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.handler.writeV3(request, request.url.path.slice(V3_ROOT.length)));
  }
}
