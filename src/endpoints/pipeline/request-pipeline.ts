import { Injectable } from '@nestjs/common';
import { quote } from '../../apimachinery/go/go-string.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import { useOf } from '../connections/open-connection.js';
import { ApiRequest } from '../request/api-request.js';
import { ClientGone } from '../exchange/read-body.js';
import { UndeterminedRequestError } from '../request-info/request-info.js';
import type { RawRequest, RawResponse } from '../exchange/raw-exchange.js';
import { DeadlineExceeded, RequestDeadlines } from '../request/request-deadlines.js';
import { ROOT_URL, parseRequestUrl } from '../request-info/query.js';
import { RouteTable } from '../routing/route-table.js';
import { cutOff, sendText } from '../response/send-response.js';
import { ErrorWriter } from '../response/error-writer.js';
import { type Filter, type Handler, chain, exceptPublic } from './filter.js';
import { RequestAccess } from './renewed-access.js';
import { type Dispatch, RequestLimiting, serveRoute, withDeadline, withFlowControl, withTracing } from './serving-filters.js';
import { RequestObservers } from './request-observers.js';
import { withAudit } from './audit-recorder.js';
import { withAuthentication, withAuthorization, withImpersonation, withPublicPages, withoutForeignPages } from './access-filters.js';

const REQUEST = Symbol('ApiRequest');

/** The ApiRequest of a raw request that has passed through the pipeline. */
export function apiRequestOf(raw: RawRequest): ApiRequest {
  const request = (raw as RawRequest & { [REQUEST]?: ApiRequest })[REQUEST];
  if (!request) throw new Error('the request bypassed the pipeline');
  return request;
}

/**
 * The filters of every request before its handler, in upstream's order (apiserver server/config.go DefaultBuildHandlerChain), after the
 * request info. The body is still unread.
 *
 * It runs in front of the framework, so that the framework's own rules never produce a response before it.
 */
@Injectable()
export class RequestPipeline {
  readonly #deadlines: RequestDeadlines;
  readonly #limiting: RequestLimiting;
  readonly #observers: RequestObservers;
  readonly #routes: RouteTable;
  readonly #errors: ErrorWriter;
  readonly #filters: readonly Filter[];
  #first: Handler | undefined;

  constructor(access: RequestAccess, limiting: RequestLimiting, observers: RequestObservers, routes: RouteTable, errors: ErrorWriter) {
    this.#limiting = limiting;
    this.#observers = observers;
    this.#routes = routes;
    this.#errors = errors;
    this.#deadlines = new RequestDeadlines(limiting.inFlight, (request) => this.#expire(request));
    const { authenticator, authorizer, impersonator, allowedOrigins } = access;
    const { recorder, tracing } = observers;
    const fail = (request: ApiRequest, error: unknown) => this.fail(request, error);
    this.#filters = [
      ...(tracing ? [withTracing(tracing)] : []),
      withDeadline(this.#deadlines, limiting.requestTimeoutMs),
      withPublicPages(routes),
      exceptPublic(withAuthentication(authenticator, fail)),
      exceptPublic(withAudit(recorder, fail)),
      exceptPublic(withoutForeignPages(allowedOrigins, errors)),
      exceptPublic(withImpersonation({ impersonator, recorder, errors, fail })),
      withFlowControl(limiting, errors, fail),
      exceptPublic(withAuthorization({ authorizer, recorder, errors, fail })),
    ];
  }

  /** Binds the filters to the framework; called once, before the server listens. */
  start(dispatch: Dispatch): void {
    this.#first = chain(this.#filters, serveRoute(this.#routes, this.#observers.metrics, dispatch));
  }

  close(): void {
    this.#deadlines.close();
    this.#limiting.limiter.close();
  }

  accept(raw: RawRequest, response: RawResponse): void {
    const request = this.#begin(raw, response);
    if (!request) return;
    try {
      this.#first?.(request);
    } catch (error) {
      this.fail(request, error);
    }
  }

  /** Runs a handler for a request that the framework has routed. Its errors become the response. */
  serve(raw: RawRequest, reply: { hijack(): void }, handle: (request: ApiRequest) => void | Promise<void>): void {
    reply.hijack();
    const request = apiRequestOf(raw);
    try {
      const answered = handle(request);
      if (answered) void this.#untilHandled(request, answered);
    } catch (error) {
      this.fail(request, error);
    }
  }

  /** Sends an error, whatever stage it comes from. */
  fail(request: ApiRequest, error: unknown): void {
    if (!request.isAuthenticated) this.#observers.recorder.refused(request, error);
    this.#errors.write(request, error);
  }

  #begin(raw: RawRequest, response: RawResponse): ApiRequest | undefined {
    const url = parseRequestUrl(raw.url ?? '/');
    let request: ApiRequest;
    try {
      request = new ApiRequest(raw, response, url ?? ROOT_URL);
    } catch (error) {
      if (!(error instanceof UndeterminedRequestError)) throw error;
      const bare = new ApiRequest(raw, response, ROOT_URL);
      const target = raw.url ?? '';
      const text = `Internal Server Error: ${quote(target)}: failed to create RequestInfo: ${error.message}, ${target}`;
      this.#errors.write(bare, badRequest(text));
      return undefined;
    }
    if (!url) {
      response.shouldKeepAlive = false;
      sendText(request, 400, '400 Bad Request');
      return undefined;
    }
    this.#track(raw, response, request);
    return request;
  }

  #track(raw: RawRequest, response: RawResponse, request: ApiRequest): void {
    (raw as RawRequest & { [REQUEST]?: ApiRequest })[REQUEST] = request;
    const { metrics, log } = this.#observers;
    const { inFlight } = this.#limiting;
    const use = useOf(raw.socket);
    inFlight.start(request);
    use?.requestBegan();
    response.on('close', () => {
      inFlight.end(request);
      use?.requestEnded();
      metrics.end(request);
      request.closed();
      request.audit?.closed();
      log.ended(request);
      // A complete response leaves no work to abort.
      if (request.progress.respondedAt === 0) request.abort(new ClientGone());
    });
  }

  /** Waits for the handler; its errors become the response. */
  async #untilHandled(request: ApiRequest, handling: Promise<void>): Promise<void> {
    const { ticket } = request.admission;
    ticket?.handle();
    await handling.catch((error: unknown) => this.fail(request, error));
    ticket?.handled();
  }

  /** Sends a 504, or aborts a response that the client does not read. */
  #expire(request: ApiRequest): void {
    const reason = new DeadlineExceeded('the deadline of the request has passed');
    const { response } = request;
    request.abort(reason);
    request.admission.series?.terminated(504);
    if (response.headersSent) cutOff(request);
    else {
      // The rest of the body may never arrive.
      if (!request.raw.complete) response.shouldKeepAlive = false;
      this.fail(request, reason);
    }
  }
}
