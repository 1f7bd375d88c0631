import type { OutgoingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { internalError, requestTimeout } from '../../apimachinery/errors/status-errors.js';
import type { Status } from '../../apimachinery/meta/status.js';
import type { OutputNegotiation } from '../negotiation/output-negotiation.js';
import { wantsPretty } from '../negotiation/pretty-print.js';
import type { ApiRequest } from '../request/api-request.js';
import { ClientGone } from '../request/body-reader.js';
import { DeadlineExceeded } from '../request/request-deadlines.js';
import { sendAnswer } from './answer.js';

/** The one place that turns what was thrown into an answer: every error of the server leaves it as a Status. */
export class ErrorWriter {
  readonly #negotiation: OutputNegotiation;
  readonly #logger: Logger;

  /** `negotiation` without transforms: errors are never Tables. */
  constructor(negotiation: OutputNegotiation, logger: Logger) {
    this.#negotiation = negotiation;
    this.#logger = logger;
  }

  /** Answers with the error's Status; what is no ApiError is a fault of ours: it is logged, and the client learns the audit id only. */
  write(request: ApiRequest, error: unknown): void {
    if (!(error instanceof ClientGone)) this.writeStatus(request, this.#statusOf(request, error));
  }

  /** A Status in the media type that the client accepts; indented JSON if there is none (responsewriters.WriteRawJSON). */
  writeStatus(request: ApiRequest, status: Status, headers?: OutgoingHttpHeaders): void {
    const code = status.code ?? 200;
    const retryAfter = status.details?.retryAfterSeconds;
    const extra = retryAfter ? { ...headers, 'retry-after': String(retryAfter) } : headers;
    const choice = this.#negotiation.choose(request.accept);
    if (!choice) {
      sendRawStatus(request, status, extra);
      return;
    }
    request.audit?.responseStatus(status, () => JSON.stringify(status));
    const pretty = choice.pretty || wantsPretty(request.query, request.userAgent);
    sendAnswer(request, code, choice.serializer.mediaType, choice.serializer.encodeStatus(status, { pretty }), extra);
  }

  #statusOf(request: ApiRequest, error: unknown): Status {
    if (error instanceof ApiError) {
      if (error.code >= 500 && error.cause !== undefined) this.log(request, error);
      return error.status;
    }
    if (error instanceof DeadlineExceeded || request.aborted instanceof DeadlineExceeded) return requestTimeout().status;
    if (!request.aborted) {
      request.audit?.panicked();
      this.log(request, error);
    }
    return internalError(`see the server's log for request ${request.loggedAuditId}`).status;
  }

  /** For faults of ours, and of those whom the server asks. */
  log(request: ApiRequest, err: unknown): void {
    request.failureLogged = true;
    this.#logger.error({ err, auditId: request.loggedAuditId, method: request.method, path: request.url.path }, 'request failed');
  }
}

/** A Status as indented JSON, for clients whose Accept fits nothing (responsewriters.WriteRawJSON). */
export function sendRawStatus(request: ApiRequest, status: Status, extra?: OutgoingHttpHeaders): void {
  sendAnswer(request, status.code ?? 500, 'application/json', JSON.stringify(status, undefined, 2), extra);
}
