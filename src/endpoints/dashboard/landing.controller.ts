import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import { sendNothing } from '../response/send-response.js';
import { RouteTable } from '../routing/route-table.js';
import { ServingSettings } from '../settings/serving.settings.js';
import { DashboardPages } from './dashboard-pages.js';

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
