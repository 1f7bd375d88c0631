import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER, LineBudget } from '../../telemetry/logger.js';
import { type MetricRegistry, type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { type Tracing, TRACING } from '../../telemetry/tracing/tracing.js';
import { InFlight, RequestFamilies, RequestSeries } from '../metrics/request-series.js';
import type { ApiRequest } from '../request/api-request.js';
import type { Route } from '../routing/route.js';
import { ServingSettings } from '../settings/serving.settings.js';
import { AuditRecorder } from './audit-recorder.js';

/** Services that record and count each request. */
@Injectable()
export class RequestObservers {
  readonly metrics: RequestMetrics;
  readonly log: RequestLog;

  /** `tracing` is undefined if tracing is off. */
  constructor(
    readonly recorder: AuditRecorder,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
    @Inject(LOGGER) logger: Logger,
    { slowRequestThreshold: slowMs }: ServingSettings,
    @Optional() @Inject(TRACING) readonly tracing?: Tracing,
  ) {
    this.metrics = new RequestMetrics(main);
    this.log = new RequestLog({ logger, slowMs });
  }
}

interface RequestLogOptions {
  readonly logger: Logger;
  /** Requests other than watches that take longer are logged; 0 logs none. */
  readonly slowMs: number;
}

const TOO_MANY = 429;
/** Lines per second of each kind, so that a flood of requests does not become a flood of lines. */
const LINES_PER_SECOND = 10;

/**
 * Logs requests that got a 429, failed or were slow, and at level debug every request. (DeniedRequestLog logs 401 and 403.) A line has the
 * request's audit id and no secrets of the client: no headers, no query, no body.
 */
class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #refused = new LineBudget(LINES_PER_SECOND);
  readonly #failed = new LineBudget(LINES_PER_SECOND);
  readonly #slow = new LineBudget(LINES_PER_SECOND);
  readonly #all: boolean;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    this.#all = options.logger.isLevelEnabled('debug');
  }

  /** Called once the connection has released the request. */
  ended(request: ApiRequest): void {
    if (request.progress.failureLogged) return;
    const { response, receivedAt, progress } = request;
    const status = response.headersSent ? response.statusCode : 0;
    const took = (progress.respondedAt || performance.now()) - receivedAt;
    const isLong = request.info.verb === 'watch' || request.admission.waits;
    if (status === TOO_MANY) this.#tell(request, 'info', 'request refused', this.#refused);
    // Failed probes are logged by their health checks.
    else if (status >= 500 && request.info.isResourceRequest) this.#tell(request, 'warn', 'request failed', this.#failed);
    else if (request.progress.isTooSlow) this.#tell(request, 'warn', 'watch ended: its client does not keep up', this.#slow);
    else if (!isLong && this.#options.slowMs > 0 && took > this.#options.slowMs) this.#tell(request, 'warn', 'slow request', this.#slow);
    else if (this.#all) this.#options.logger.debug(describe(request), 'request');
  }

  #tell(request: ApiRequest, level: 'info' | 'warn', message: string, budget: LineBudget): void {
    const { logger } = this.#options;
    if (!logger.isLevelEnabled(level)) return;
    const suppressed = budget.take(performance.now());
    if (suppressed !== undefined) logger[level]({ ...describe(request), ...(suppressed > 0 ? { suppressed } : {}) }, message);
  }
}

/** `admittedMs`: time until the handler started; `answeredMs`: time until the response was complete. */
function describe(request: ApiRequest): object {
  const { response, receivedAt, user, impersonator } = request;
  const { admittedAt } = request.admission;
  const { respondedAt, sentBytes } = request.progress;
  return {
    auditId: request.loggedAuditId,
    method: request.method,
    path: request.url.path,
    user: user.name,
    ...(impersonator ? { impersonator: impersonator.name } : {}),
    userAgent: request.userAgent,
    address: request.raw.socket?.remoteAddress,
    status: response.headersSent ? response.statusCode : 'none',
    bytes: sentBytes,
    ...(admittedAt ? { admittedMs: round(admittedAt - receivedAt) } : {}),
    ...(respondedAt ? { answeredMs: round(respondedAt - receivedAt) } : {}),
    ms: round(performance.now() - receivedAt),
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

const APPLY_PATCH = 'application/apply-patch+yaml';

/** The series of a request depend on its route, kind and `dryRun`; the latter two are indexes. */
const PLAIN = 0;
const WATCH = 1;
const APPLY = 2;
const DRY_RUNS = ['', 'All', 'invalid'];

/** Counts requests from routing until their end. Like upstream, it does not count requests that are denied before that. */
export class RequestMetrics {
  readonly #families: RequestFamilies;
  readonly #readOnly = new InFlight();
  readonly #mutating = new InFlight();

  constructor(registry: MetricRegistry) {
    this.#families = new RequestFamilies(registry);
    const options = {
      name: 'apiserver_current_inflight_requests',
      help: 'Largest number of concurrent requests, other than watches, in the last second.',
      labels: ['request_kind'],
    };
    registry.gauge(options, (gauge) => {
      const now = performance.now();
      gauge.with('readOnly').set(this.#readOnly.most(now));
      gauge.with('mutating').set(this.#mutating.most(now));
    });
  }

  begin(request: ApiRequest, route: Route): void {
    const series = this.#seriesOf(request, route);
    if (!series) return;
    series.begin();
    const inFlight = series.isMutating ? this.#mutating : this.#readOnly;
    request.admission.countIn(series, series.isLongRunning ? undefined : inFlight, request.receivedAt);
  }

  /** Called once the connection has released the request. */
  end(request: ApiRequest): void {
    const { admission, progress, response } = request;
    const { series, waits } = admission;
    if (!series) return;
    const now = performance.now();
    if (response.headersSent) {
      const seconds = ((progress.respondedAt || now) - request.receivedAt) / 1000;
      series.answered(response.statusCode, seconds, progress.sentBytes, waits);
    } else {
      series.aborted();
    }
    series.end();
  }

  /** Undefined for documents, which upstream does not count either. */
  #seriesOf(request: ApiRequest, route: Route): RequestSeries | undefined {
    if (route.measured === undefined || (route.anyMethod && request.method !== 'GET')) return undefined;
    const kind = kindOf(request);
    const dryRun = dryRunOf(request);
    const all = (route.series ??= []);
    const at = kind * DRY_RUNS.length + dryRun;
    return (all[at] ??= this.#create(request, route, kind, DRY_RUNS[dryRun] ?? ''));
  }

  #create({ method, info }: ApiRequest, { measured = '' }: Pick<Route, 'measured'>, kind: number, dryRun: string): RequestSeries {
    const { apiGroup: group, apiVersion: version, resource, subresource } = info;
    const verb = verbOf(method, measured, kind);
    if (!info.isResourceRequest) {
      const none = { group: '', version: '', resource: '', scope: '', component: '' };
      return new RequestSeries(this.#families, { verb, dryRun, ...none, subresource: info.path });
    }
    return new RequestSeries(this.#families, {
      verb,
      dryRun,
      group,
      version,
      resource,
      subresource,
      scope: measured,
      component: 'apiserver',
    });
  }
}

function kindOf({ method, info, headers }: ApiRequest): number {
  if (info.verb === 'watch') return WATCH;
  return method === 'PATCH' && headers['content-type'] === APPLY_PATCH ? APPLY : PLAIN;
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function verbOf(method: string, scope: string, kind: number): string {
  if (kind === WATCH) return 'WATCH';
  if (kind === APPLY) return 'APPLY';
  if (method === 'GET' || method === 'HEAD') return scope === 'namespace' || scope === 'cluster' ? 'LIST' : 'GET';
  return METHODS.has(method) ? method : 'other';
}

/** The index in DRY_RUNS. */
function dryRunOf({ url, query }: ApiRequest): number {
  if (!url.rawQuery.includes('dryRun')) return 0;
  const values = query.all('dryRun');
  if (values.length === 0) return 0;
  return values.every((value) => value === 'All') ? 1 : 2;
}
