import { Injectable } from '@nestjs/common';
import { ANONYMOUS, SYSTEM_MASTERS } from '../../auth/authentication/well-known-users.js';
import type { Decision } from '../../auth/authorization/authorizer.js';
import { escapeHtml, forbiddenRequest } from '../../auth/authorization/forbidden.js';
import { mentionsImpersonation, wantedUser } from '../../auth/impersonation/impersonation-headers.js';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { quote } from '../../apimachinery/go/quote.js';
import { badRequest, forbiddenPage } from '../../apimachinery/errors/status-errors.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { useOf } from '../connections/connection-use.js';
import { ApiRequest } from '../request/api-request.js';
import { ClientGone } from '../exchange/read-body.js';
import { UndeterminedRequestError } from '../request-info/request-info.js';
import type { RawRequest, RawResponse } from '../exchange/raw-exchange.js';
import { DeadlineExceeded, RequestDeadlines, timeLimitMs } from '../request/request-deadlines.js';
import { parseRequestUrl, ROOT_URL } from '../request-info/request-url.js';
import { RouteTable } from '../routing/route-table.js';
import { checkMediaTypes } from '../routing/check-media-types.js';
import { cutOff, sendText } from '../response/send-response.js';
import { ErrorWriter } from '../response/error-writer.js';
import { isFromForeignPage } from '../request/foreign-page.js';
import { absentResource } from './absent-resource.js';
import { RequestAccess } from './request-access.js';
import { RequestLimiting } from './request-limiting.js';
import { RequestObservers } from './request-observers.js';
import { traceRequest } from './trace-request.js';

/** Passes an admitted request to the framework, whose router dispatches by `raw.url`. */
export type Dispatch = (raw: RawRequest, response: RawResponse) => void;

const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

const REQUEST = Symbol('ApiRequest');

/** The ApiRequest of a raw request that has passed through the pipeline. */
export function apiRequestOf(raw: RawRequest): ApiRequest {
  const request = (raw as RawRequest & { [REQUEST]?: ApiRequest })[REQUEST];
  if (!request) throw new Error('the request bypassed the pipeline');
  return request;
}

/**
 * The stages of every request before its handler, in upstream's order (apiserver server/config.go DefaultBuildHandlerChain): request
 * info, deadline, authentication (401), pages of other sites (403), impersonation (400, 403), limits (429), authorization (403), then the route (404, 405, 415, 406).
 * The body is still unread. Public pages, such as the files of Swagger UI, take their seat as anonymous and skip authentication,
 * impersonation and authorization.
 *
 * It runs in front of the framework, so that the framework's own rules never produce a response before it.
 */
@Injectable()
export class RequestPipeline {
  readonly #options;
  readonly #deadlines: RequestDeadlines;

  constructor(access: RequestAccess, limiting: RequestLimiting, observers: RequestObservers, routes: RouteTable, errors: ErrorWriter) {
    this.#options = { ...access, ...limiting, ...observers, routes, errors };
    this.#deadlines = new RequestDeadlines(limiting.underWay, (request) => this.#expire(request));
  }

  close(): void {
    this.#deadlines.close();
    this.#options.limiter.close();
  }

  accept(raw: RawRequest, response: RawResponse, dispatch: Dispatch): void {
    const request = this.#begin(raw, response);
    if (!request) return;
    const { tracing } = this.#options;
    if (tracing) traceRequest(tracing, request, () => this.#accept(request, dispatch));
    else this.#accept(request, dispatch);
  }

  #accept(request: ApiRequest, dispatch: Dispatch): void {
    try {
      const limit = timeLimitMs(request, this.#options.requestTimeoutMs);
      if (limit !== undefined) this.#deadlines.limit(request, limit);
      if (this.#isPublic(request)) return this.#acceptPublic(request, dispatch);
      const user = this.#options.authenticator.authenticate(request);
      if (user instanceof Promise) {
        user.then((known) => this.#identify(request, known, dispatch)).catch((error: unknown) => this.#failEarly(request, error));
      } else this.#identify(request, user, dispatch);
    } catch (error) {
      this.#failEarly(request, error);
    }
  }

  #isPublic(request: ApiRequest): boolean {
    const { routes } = this.#options;
    if (request.info.isResourceRequest) return false;
    return routes.isPublic(request.url.path) || routes.landingFor(request) !== undefined;
  }

  /** Ignores the request's credentials. */
  #acceptPublic(request: ApiRequest, dispatch: Dispatch): void {
    request.openToAll(ANONYMOUS);
    this.#limit(request, dispatch);
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
    this.#options.errors.write(request, error);
  }

  /** Like `fail`, for errors that may precede the end of authentication. */
  #failEarly(request: ApiRequest, error: unknown): void {
    if (!request.isAuthenticated) this.#options.recorder.refused(request, error);
    this.fail(request, error);
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
      this.fail(bare, badRequest(text));
      return undefined;
    }
    if (!url) {
      sendText(request, 400, '400 Bad Request');
      return undefined;
    }
    this.#track(raw, response, request);
    return request;
  }

  #track(raw: RawRequest, response: RawResponse, request: ApiRequest): void {
    (raw as RawRequest & { [REQUEST]?: ApiRequest })[REQUEST] = request;
    const { underWay, metrics, log } = this.#options;
    const use = useOf(raw.socket);
    underWay.start(request);
    use?.requestBegan();
    response.on('close', () => {
      underWay.end(request);
      use?.requestEnded();
      metrics.end(request);
      request.closed();
      request.audit?.closed();
      log.ended(request);
      // A complete response leaves no work to abort.
      if (request.respondedAt === 0) request.abort(new ClientGone());
    });
  }

  /** Continues after authentication and starts the audit record. */
  #identify(request: ApiRequest, user: UserInfo | undefined, dispatch: Dispatch): void {
    if (user) {
      request.authenticate(user);
      if (user.name !== ANONYMOUS.name) {
        request.account.usedBy(user.name);
        useOf(request.raw.socket)?.authenticated();
      }
    }
    const recorded = this.#options.recorder.begin(request);
    if (!recorded) return this.#checkPage(request, dispatch);
    recorded.then(() => this.#checkPage(request, dispatch)).catch((error: unknown) => this.fail(request, error));
  }

  /** Refuses pages of other sites that use what the browser adds by itself. */
  #checkPage(request: ApiRequest, dispatch: Dispatch): void {
    if (isFromForeignPage(request, this.#options.allowedOrigins)) this.#refuse(request, forbiddenPage());
    else this.#impersonate(request, dispatch);
  }

  /** Applies the impersonation headers, if any. */
  #impersonate(request: ApiRequest, dispatch: Dispatch): void {
    const { rawHeaders } = request.raw;
    let wanted: UserInfo | undefined;
    try {
      wanted = mentionsImpersonation(rawHeaders) ? wantedUser(rawHeaders) : undefined;
    } catch (error) {
      return this.#refuse(request, error);
    }
    if (!wanted) return this.#limit(request, dispatch);
    this.#options.impersonator
      .impersonate(request.user, wanted, request.info)
      .catch((error: unknown) => {
        this.#options.recorder.notImpersonated(request, error);
        this.#refuse(request, error);
        return undefined;
      })
      .then((impersonated) => {
        if (!impersonated) return;
        const { user, constraint } = impersonated;
        request.impersonate(user, constraint);
        request.audit?.impersonated(user, constraint);
        this.#limit(request, dispatch);
      })
      .catch((error: unknown) => this.fail(request, error));
  }

  /** Sends an error that browsers must not interpret as a page (apiserver responsewriters.RespondWithError). */
  #refuse(request: ApiRequest, error: unknown): void {
    if (error instanceof ApiError) this.#options.errors.writeStatus(request, error.status, NO_SNIFFING);
    else this.fail(request, error);
  }

  /** Continues at once or when seats are free, or sends 429. */
  #limit(request: ApiRequest, dispatch: Dispatch): void {
    const { limiter, watches, errors } = this.#options;
    // A client that reads its responses holds almost no memory. One that does not gets no more, well before it is cut off.
    const { user, info, account } = request;
    if (account.isOwnerNearLimit && !user.groups.includes(SYSTEM_MASTERS)) return errors.writeTooManyRequests(request, 1);
    if (info.verb === 'watch' && !watches.begin(request)) return errors.writeTooManyRequests(request, 1);
    const ticket = limiter.admit(request);
    request.takeTicket(ticket);
    if (!ticket || ticket.state === 'executing') return this.#seated(request, dispatch);
    ticket.decided = (retryAfter) => {
      if (retryAfter !== undefined) return errors.writeTooManyRequests(request, retryAfter);
      try {
        this.#seated(request, dispatch);
      } catch (error) {
        this.fail(request, error);
      }
    };
  }

  #seated(request: ApiRequest, dispatch: Dispatch): void {
    if (request.isPublic) this.#route(request, dispatch);
    else this.#authorize(request, dispatch);
  }

  #authorize(request: ApiRequest, dispatch: Dispatch): void {
    const decision = this.#options.authorizer.authorize(request);
    if (decision instanceof Promise) {
      decision.then((made) => this.#admit(request, made, dispatch)).catch((error: unknown) => this.fail(request, error));
    } else this.#admit(request, decision, dispatch);
  }

  #admit(request: ApiRequest, decision: Decision, dispatch: Dispatch): void {
    if (request.audit || !decision.allowed) this.#options.recorder.decided(request, decision);
    if (!decision.allowed) {
      if (decision.error) return this.#undecided(request, decision.error);
      return this.#refuse(request, forbiddenRequest(request.user, request.info, decision.reason));
    }
    this.#route(request, dispatch);
  }

  /** Sends a 500: no authorizer could decide (apiserver responsewriters.InternalError). */
  #undecided(request: ApiRequest, error: Error): void {
    this.#options.errors.log(request, error);
    const text = `Internal Server Error: ${quote(request.raw.url ?? '')}: ${error.message}\n`;
    sendText(request, 500, escapeHtml(text));
  }

  #route(request: ApiRequest, dispatch: Dispatch): void {
    const { method, url, raw } = request;
    const { routes } = this.#options;
    const route = (request.isPublic ? routes.landingFor(request) : undefined) ?? routes.find(method, url);
    if (route === 'text') return sendText(request, 404, '404 page not found\n');
    if (route === 'status') throw absentResource(request.info);
    checkMediaTypes(route, method, request.headers['content-type'], request.accept);
    request.admit();
    this.#options.metrics.begin(request, route);
    if (route.serve) return this.#handle(request, route.serve);
    // A controller has each path under one method, whatever methods it serves.
    raw.url = route.target;
    raw.method = 'GET';
    dispatch(raw, request.response);
  }

  /** Runs a handler that sends its own errors. */
  #handle(request: ApiRequest, serve: (request: ApiRequest) => Promise<void>): void {
    const { ticket } = request;
    ticket?.handle();
    const served = serve(request);
    if (ticket) void served.then(() => ticket.handled());
  }

  /** Like `#handle`, for a handler that the framework has called. */
  async #untilHandled(request: ApiRequest, handling: Promise<void>): Promise<void> {
    const { ticket } = request;
    ticket?.handle();
    await handling.catch((error: unknown) => this.fail(request, error));
    ticket?.handled();
  }

  /** Sends a 504, or aborts a response that the client does not read. */
  #expire(request: ApiRequest): void {
    const reason = new DeadlineExceeded('the deadline of the request has passed');
    const { response } = request;
    request.abort(reason);
    request.series?.terminated(504);
    if (response.headersSent) cutOff(request);
    else {
      // The rest of the body may never arrive.
      if (!request.raw.complete) response.shouldKeepAlive = false;
      this.fail(request, reason);
    }
  }
}
