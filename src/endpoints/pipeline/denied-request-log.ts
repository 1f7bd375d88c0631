import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { LOGGER } from '../../telemetry/logger.js';
import type { AuthenticatedRequest, ReceivedRequest } from '../request/api-request.js';
import { LineBudget } from '../../telemetry/line-budget.js';

/** Lines per second, so that a client that is denied over and over does not fill the log. */
const LINES_PER_SECOND = 20;
const MAX_TEXT = 256;

/** Logs one line for each request that gets a 401 or 403. A line holds no credentials: no header, no query, no body. */
@Injectable()
export class DeniedRequestLog {
  readonly #logger: Logger;
  readonly #now: Clock;
  readonly #budget = new LineBudget(LINES_PER_SECOND);

  constructor(@Inject(LOGGER) logger: Logger, @Inject(CLOCK) now: Clock) {
    this.#logger = logger;
    this.#now = now;
  }

  /** Logs a 401. */
  unauthenticated(request: ReceivedRequest, reason: string | undefined): void {
    if (this.#takeLine()) this.#logger.info({ code: 401, ...describe(request, reason) }, 'unauthenticated request rejected');
  }

  /** Logs a 403. */
  forbidden(request: AuthenticatedRequest, reason: string | undefined): void {
    if (!this.#takeLine()) return;
    const { user, impersonator } = request;
    const who = { user: user.name, ...(impersonator ? { impersonator: impersonator.name } : {}) };
    this.#logger.info({ code: 403, ...who, ...describe(request, reason) }, 'forbidden request rejected');
  }

  #takeLine(): boolean {
    const suppressed = this.#budget.take(this.#now());
    if (suppressed) this.#logger.info({ requests: suppressed }, 'more requests were rejected');
    return suppressed !== undefined;
  }
}

function describe({ method, info, url, raw, loggedAuditId }: ReceivedRequest, reason: string | undefined): object {
  return {
    verb: info.verb,
    method,
    path: url.path.slice(0, MAX_TEXT),
    ...(reason ? { reason: reason.slice(0, MAX_TEXT) } : {}),
    from: raw.socket.remoteAddress,
    auditId: loggedAuditId,
  };
}
