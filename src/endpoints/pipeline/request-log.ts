import type { Logger } from 'pino';
import type { ApiRequest } from '../request/api-request.js';
import { LineBudget } from '../../telemetry/line-budget.js';

export interface RequestLogOptions {
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
export class RequestLog {
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
