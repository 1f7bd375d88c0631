import { Controller, Get, Inject, Injectable, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOGGER } from '../../telemetry/logger.js';
import type { CounterFamily, GaugeFamily } from '../../telemetry/metrics/metric-family.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendResponse, sendText } from '../response/send-response.js';
import { RouteTable } from '../routing/route-table.js';
import { type HealthCheck, type HealthEndpoint, HealthChecks } from './health-checks.js';

interface HealthReport {
  readonly healthy: boolean;
  /** The plain-text response. */
  readonly text: string;
  /** Name and reason of every failed check, for the log. */
  readonly failures: readonly { readonly name: string; readonly error: unknown }[];
}

interface HealthQuery {
  readonly verbose: boolean;
  /** Names of checks not to run. */
  readonly excluded: readonly string[];
}

/** Runs the checks of an endpoint and formats the result as upstream does (apiserver server/healthz/healthz.go). */
async function runHealthChecks(
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
  { verbose, excluded }: HealthQuery,
  ran: (check: HealthCheck, endpoint: HealthEndpoint, passed: boolean) => void = () => undefined,
): Promise<HealthReport> {
  const failures: { name: string; error: unknown }[] = [];
  const lines = await Promise.all(
    checks.map(async (check) => {
      if (excluded.includes(check.name)) return `[+]${check.name} excluded: ok\n`;
      try {
        await check.check();
        ran(check, endpoint, true);
        return `[+]${check.name} ok\n`;
      } catch (error) {
        ran(check, endpoint, false);
        failures.push({ name: check.name, error });
        return `[-]${check.name} failed: reason withheld\n`;
      }
    }),
  );
  const unmatched = excluded.filter((name) => !checks.some((check) => check.name === name));
  if (failures.length > 0) {
    return { healthy: false, text: `${lines.join('')}${warning(unmatched)}${endpoint} check failed\n`, failures };
  }
  const text = verbose ? `${lines.join('')}${warning(unmatched)}${endpoint} check passed\n` : 'ok';
  return { healthy: true, text, failures };
}

function warning(unmatched: readonly string[]): string {
  if (unmatched.length === 0) return '';
  const names = [...new Set(unmatched)].map((name) => `"${name}"`).sort();
  return `warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`;
}

/** Upstream's metrics of health checks, which /metrics/slis shows (component-base metrics/prometheus/slis). */
@Injectable()
export class HealthMetrics {
  readonly #state: GaugeFamily;
  readonly #runs: CounterFamily;

  constructor(@Inject(SERVER_METRICS) { slis }: ServerMetrics) {
    this.#state = slis.gauge({
      name: 'kubernetes_healthcheck',
      help: 'Result of the last run of a health check: 1 if it passed.',
      labels: ['name', 'type'],
    });
    this.#runs = slis.counter({
      name: 'kubernetes_healthchecks_total',
      help: 'Runs of a health check by result.',
      labels: ['name', 'status', 'type'],
    });
  }

  ran({ name }: HealthCheck, type: HealthEndpoint, passed: boolean): void {
    this.#state.with(name, type).set(passed ? 1 : 0);
    this.#runs.with(name, passed ? 'success' : 'error', type).inc();
  }
}

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
