import type { OutgoingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { internalError, requestTimeout, tooManyRequests } from '../../apimachinery/errors/status-errors.js';
import type { Status } from '../../apimachinery/meta/status.schema.js';
import { LOGGER } from '../../telemetry/logger.js';
import { type OutputNegotiation, MediaTypes, wantsPretty } from '../negotiation/output-negotiation.js';
import type { ApiRequest } from '../request/api-request.js';
import { ClientGone } from '../exchange/read-body.js';
import { RefusedRequests } from '../refusals/refused-requests.js';
import { DeadlineExceeded } from '../request/request-deadlines.js';
import { sendResponse, sendTooManyRequests } from './send-response.js';

const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

/** Turns every error into a response. All errors of the server leave it as a Status, and only through here. */
@Injectable()
export class ErrorWriter {
  readonly #negotiation: OutputNegotiation;
  readonly #logger: Logger;
  readonly #refused: RefusedRequests;

  constructor({ plain }: MediaTypes, @Inject(LOGGER) logger: Logger, refused: RefusedRequests) {
    this.#negotiation = plain;
    this.#logger = logger;
    this.#refused = refused;
  }

  /** Sends the Status of an ApiError. Any other error is a bug: it is logged, and the client gets a 500 with the audit id. */
  write(request: ApiRequest, error: unknown): void {
    if (error instanceof ClientGone) return;
    const status = this.#statusOf(request, error);
    const byDate = error instanceof ApiError && error.retryAfterDate;
    this.writeStatus(request, status, byDate ? { 'retry-after': retryDate(status) } : undefined);
  }

  /** Refuses a request, in a form that browsers do not interpret as a page (apiserver responsewriters.RespondWithError). */
  refuse(request: ApiRequest, error: unknown): void {
    if (error instanceof ApiError) this.writeStatus(request, error.status, NO_SNIFFING);
    else this.write(request, error);
  }

  /** A Status in the media type that the client accepts; indented JSON if there is none (responsewriters.WriteRawJSON). */
  writeStatus(request: ApiRequest, status: Status, headers?: OutgoingHttpHeaders): void {
    const code = status.code ?? 200;
    this.#refused.add(request, status);
    const retryAfter = status.details?.retryAfterSeconds;
    const extra = retryAfter ? { 'retry-after': String(retryAfter), ...headers } : headers;
    const choice = this.#negotiation.choose(request.accept);
    if (!choice) {
      sendRawStatus(request, status, extra);
      return;
    }
    request.audit?.responseStatus(status, () => JSON.stringify(status));
    const pretty = choice.pretty || wantsPretty(request.query, request.userAgent);
    sendResponse(request, code, choice.serializer.mediaType, choice.serializer.encodeStatus(status, { pretty }), extra);
  }

  /** The 429 of the limits. */
  writeTooManyRequests(request: ApiRequest, retryAfterSeconds: number): void {
    this.note(request, tooManyRequests('', retryAfterSeconds));
    sendTooManyRequests(request, retryAfterSeconds);
  }

  /** Records an error whose response is written elsewhere. */
  note(request: ApiRequest, { status }: ApiError): void {
    this.#refused.add(request, status);
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

  /** Logs a bug, or a failure of a service that the server depends on. */
  log(request: ApiRequest, err: unknown): void {
    request.progress.markFailureLogged();
    this.#logger.error({ err, auditId: request.loggedAuditId, method: request.method, path: request.url.path }, 'request failed');
  }
}

function retryDate({ details }: Status): string {
  return new Date(Date.now() + (details?.retryAfterSeconds ?? 0) * 1000).toUTCString();
}

/** A Status as indented JSON, for clients whose Accept fits nothing (responsewriters.WriteRawJSON). */
export function sendRawStatus(request: ApiRequest, status: Status, extra?: OutgoingHttpHeaders): void {
  sendResponse(request, status.code ?? 500, 'application/json', JSON.stringify(status, undefined, 2), extra);
}
