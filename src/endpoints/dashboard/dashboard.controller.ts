import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import { sendNothing } from '../response/send-response.js';
import { RouteTable } from '../routing/route-table.js';
import { DashboardPages } from './dashboard-pages.js';

const ROOT = '/ui/';

/** The dashboard at /ui/. */
@Controller('ui')
export class DashboardController {
  constructor(
    private readonly pipeline: RequestPipeline,
    private readonly pages: DashboardPages,
    routes: RouteTable,
  ) {
    if (pages.files.size > 0) routes.page('/ui', '/ui');
    for (const path of pages.files.keys()) routes.page(ROOT + path, `${ROOT}-`);
  }

  /** The page's files are beside it, so its address ends in a slash. The redirect is relative, for a proxy that has it below another path. */
  @Get()
  toSlash(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => sendNothing(request, 302, { location: 'ui/', 'content-length': 0 }));
  }

  @Get(':file')
  file(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.pages.files.get(request.url.path.slice(ROOT.length))?.serve(request));
  }
}
