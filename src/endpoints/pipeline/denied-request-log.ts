import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { LOGGER } from '../../telemetry/logger.js';
import type { AuthenticatedRequest, ReceivedRequest } from '../request/api-request.js';

/** Lines per second, so that a client that is denied over and over does not fill the log. */
const LINES_PER_SECOND = 20;
const MAX_TEXT = 256;

/** Logs one line for each request that gets a 401 or 403. A line holds no credentials: no header, no query, no body. */
@Injectable()
export class DeniedRequestLog {
  readonly #logger: Logger;
  readonly #now: Clock;
  #second = 0;
  #lines = 0;

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
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      const left = this.#lines - LINES_PER_SECOND;
      if (left > 0) this.#logger.info({ requests: left }, 'more requests were rejected');
      this.#second = second;
      this.#lines = 0;
    }
    this.#lines += 1;
    return this.#lines <= LINES_PER_SECOND;
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
