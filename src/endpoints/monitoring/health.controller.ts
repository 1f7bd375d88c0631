import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOGGER } from '../../telemetry/logger.js';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendResponse, sendText } from '../response/send-response.js';
import { RouteTable } from '../routing/route-table.js';
import type { HealthEndpoint } from './health-check.js';
import { HealthChecks } from './health-checks.js';
import { HealthMetrics } from './health-metrics.js';
import { runHealthChecks } from './health-report.js';

const ENDPOINTS: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** /healthz, /livez and /readyz with their individual checks. All methods get the same response. */
@Controller()
export class HealthController {
  constructor(
    private readonly pipeline: RequestPipeline,
    private readonly checks: HealthChecks,
    private readonly metrics: HealthMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
    routes: RouteTable,
  ) {
    for (const endpoint of ENDPOINTS) {
      routes.plain(`/${endpoint}`, `/${endpoint}`, { measured: true });
      for (const check of checks.all) {
        if (check.on.includes(endpoint)) routes.plain(`/${endpoint}/${check.name}`, `/${endpoint}/-`);
      }
    }
  }

  @Get(['healthz', 'livez', 'readyz'])
  all(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.#report(request));
  }

  @Get(['healthz/:check', 'livez/:check', 'readyz/:check'])
  one(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.#single(request));
  }

  async #report(request: ApiRequest): Promise<void> {
    const endpoint = request.url.segments[0] as HealthEndpoint;
    const checks = this.checks.all.filter((check) => check.on.includes(endpoint));
    const query = { verbose: request.query.has('verbose'), excluded: request.query.all('exclude') };
    const report = await runHealthChecks(endpoint, checks, query, (...outcome) => this.metrics.ran(...outcome));
    for (const { name, error } of report.failures) this.logger.warn({ err: error, endpoint, check: name }, 'health check failed');
    sendText(request, report.healthy ? 200 : 500, report.text);
  }

  /** As upstream, explains a failure here, where access is authorized, and omits nosniff. */
  async #single(request: ApiRequest): Promise<void> {
    const [endpoint, ...name] = request.url.segments;
    const check = this.checks.all.find((each) => each.name === name.join('/') && each.on.includes(endpoint as HealthEndpoint));
    try {
      await check?.check();
      sendResponse(request, 200, 'text/plain; charset=utf-8', 'ok');
    } catch (error) {
      sendText(request, 500, `internal server error: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
}
