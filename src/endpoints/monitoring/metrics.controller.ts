import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type MetricRegistry, type ServerMetrics, METRICS_MEDIA_TYPE, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import type { ApiRequest } from '../request/api-request.js';
import { RouteTable } from '../routing/route-table.js';
import { acceptsGzip, sendResponse } from '../response/send-response.js';

const compress = promisify(gzip);

/** /metrics and /metrics/slis in Prometheus' text format, whatever the Accept header and method. */
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly pipeline: RequestPipeline,
    @Inject(SERVER_METRICS) private readonly metrics: ServerMetrics,
    routes: RouteTable,
  ) {
    for (const path of ['/metrics', '/metrics/slis']) routes.plain(path, path);
  }

  @Get()
  main(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => send(request, this.metrics.main));
  }

  @Get('slis')
  slis(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => send(request, this.metrics.slis));
  }
}

/** Like promhttp, compresses a response of any size if the client accepts it. */
async function send(request: ApiRequest, registry: MetricRegistry): Promise<void> {
  const text = await registry.text();
  if (!acceptsGzip(request.headers['accept-encoding'])) return sendResponse(request, 200, METRICS_MEDIA_TYPE, text);
  const bytes = await compress(text);
  sendResponse(request, 200, METRICS_MEDIA_TYPE, bytes, { 'content-encoding': 'gzip' });
}
