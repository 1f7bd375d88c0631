import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import { sendNothing } from '../response/send-response.js';
import { RouteTable } from '../routing/route-table.js';
import { ServingSettings } from '../settings/serving.settings.js';
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

/** Leads a browser that asks for `/` to the dashboard, or else to Swagger UI. Other clients get the list of paths there. */
@Controller('landing')
export class LandingController {
  readonly #location: string;

  constructor(
    private readonly pipeline: RequestPipeline,
    routes: RouteTable,
    { files }: DashboardPages,
    { swaggerUi }: ServingSettings,
  ) {
    this.#location = files.size > 0 ? 'ui/' : 'swagger';
    if (files.size > 0 || swaggerUi) routes.landing('/landing');
  }

  @Get()
  redirect(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    const headers = { location: this.#location, vary: 'Accept', 'content-length': 0 };
    this.pipeline.serve(raw, reply, (request) => sendNothing(request, 302, headers));
  }
}
