import type { Logger } from 'pino';
import type { ApiRequest } from '../request/api-request.js';

/** So many lines a second; whoever sends more refused requests does not fill the log with them. */
const LINES_PER_SECOND = 20;
const MAX_TEXT = 256;

/** A line for each request that is answered 401 or 403. Nothing in it is a credential: no header, no query, no body. */
export class RefusalLog {
  readonly #logger: Logger;
  readonly #now: () => number;
  #second = 0;
  #lines = 0;

  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  log(request: ApiRequest, code: 401 | 403, reason?: string): void {
    if (!this.#takeLine()) return;
    const { user, impersonator, method, info, url, raw } = request;
    const fields = {
      code,
      ...(code === 403 ? { user: user.name } : {}),
      ...(impersonator ? { impersonator: impersonator.name } : {}),
      verb: info.verb,
      method,
      path: url.path.slice(0, MAX_TEXT),
      ...(reason ? { reason: reason.slice(0, MAX_TEXT) } : {}),
      from: raw.socket.remoteAddress,
      auditId: request.loggedAuditId,
    };
    this.#logger.info(fields, code === 401 ? 'unauthenticated request refused' : 'forbidden request refused');
  }

  #takeLine(): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      const left = this.#lines - LINES_PER_SECOND;
      if (left > 0) this.#logger.info({ requests: left }, 'more requests were refused');
      this.#second = second;
      this.#lines = 0;
    }
    this.#lines += 1;
    return this.#lines <= LINES_PER_SECOND;
  }
}
