import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenApiDocuments } from '../openapi/openapi-documents.js';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import type { SharedDocument } from '../response/shared-document.js';
import { RouteTable } from '../routing/route-table.js';
import { ServingSettings } from '../settings/serving.settings.js';
import { swaggerUiFiles } from './swagger-ui.js';

const ROOT = '/swagger';

/** Swagger UI at /swagger. */
@Controller('swagger')
export class SwaggerController {
  readonly #files: ReadonlyMap<string, SharedDocument>;

  constructor(
    private readonly pipeline: RequestPipeline,
    routes: RouteTable,
    { swaggerUi }: ServingSettings,
    { readers }: OpenApiDocuments,
  ) {
    this.#files = swaggerUi ? swaggerUiFiles(readers) : new Map();
    for (const path of this.#files.keys()) routes.page(ROOT + path, path === '' ? ROOT : `${ROOT}/-`);
  }

  @Get(['', ':file'])
  file(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.#files.get(request.url.path.slice(ROOT.length))?.serve(request));
  }
}
