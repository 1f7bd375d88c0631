import type { Authenticator } from '../../auth/authentication/authenticator.js';
import { ANONYMOUS, SYSTEM_MASTERS } from '../../auth/authentication/well-known-users.js';
import type { Authorizer, Decision } from '../../auth/authorization/authorizer.js';
import { escapeHtml, forbiddenRequest } from '../../auth/authorization/forbidden.js';
import { mentionsImpersonation, wantedUser } from '../../auth/impersonation/impersonation-headers.js';
import type { Impersonator } from '../../auth/impersonation/impersonator.js';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { quote } from '../../apimachinery/errors/field-error.js';
import { badRequest, resourceNotFound } from '../../apimachinery/errors/status-errors.js';
import type { Tracing } from '../../telemetry/tracing/tracing.js';
import type { UserInfo } from '../../registry/request-context.js';
import { useOf } from '../connections/connection-use.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { RequestLimiter } from '../flow-control/request-limiter.js';
import type { WatchesOfUsers } from '../flow-control/watches-of-users.js';
import { ApiRequest } from '../request/api-request.js';
import { ClientGone } from '../request/body-reader.js';
import { UndeterminedRequestError } from '../request/request-info.js';
import type { RawRequest, RawResponse } from '../request/raw-exchange.js';
import { DeadlineExceeded, RequestDeadlines, timeLimitMs } from '../request/request-deadlines.js';
import { parseRequestUrl, ROOT_URL } from '../request/url.js';
import type { RouteTable } from '../routing/route-table.js';
import { checkMediaTypes } from '../routing/router-media-types.js';
import { cutOff, sendText, sendTooManyRequests } from '../writers/answer.js';
import type { ErrorWriter } from '../writers/error-writer.js';
import type { RequestRecorder } from './request-recorder.js';
import type { RequestLog } from './request-log.js';
import { traceRequest } from './trace-request.js';
import type { RequestsUnderWay } from './requests-under-way.js';

export interface PipelineOptions {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly impersonator: Impersonator;
  readonly routes: RouteTable;
  readonly errors: ErrorWriter;
  readonly underWay: RequestsUnderWay;
  readonly metrics: RequestMetrics;
  readonly limiter: RequestLimiter;
  readonly recorder: RequestRecorder;
  readonly log: RequestLog;
  readonly tracing?: Tracing | undefined;
  readonly watches: WatchesOfUsers;
  readonly requestTimeoutMs: number;
}

/** Hands an admitted request to the framework, whose router finds `raw.url`. */
export type Dispatch = (raw: RawRequest, response: RawResponse) => void;

const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

const REQUEST = Symbol('ApiRequest');

/** The request that the pipeline made of a raw one. */
export function apiRequestOf(raw: RawRequest): ApiRequest {
  const request = (raw as RawRequest & { [REQUEST]?: ApiRequest })[REQUEST];
  if (!request) throw new Error('the request did not come through the pipeline');
  return request;
}

/**
 * What happens to every request before any handler, in upstream's order (apiserver server/config.go DefaultBuildHandlerChain): request
 * info, deadline, authentication (401), impersonation (400, 403), limits (429), authorization (403), then the route (404, 405, 415, 406).
 * The body is still unread. Public pages, such as the files of Swagger UI, take their seat as anonymous and skip authentication,
 * impersonation and authorization.
 *
 * It stands in front of the framework, so that nothing is answered before it, by another's rules.
 */
export class RequestPipeline {
  readonly #options: PipelineOptions;
  readonly #deadlines: RequestDeadlines;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#deadlines = new RequestDeadlines(options.underWay, (request) => this.#expire(request));
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
      if (limit !== undefined) this.#deadlines.start(request, limit);
      request.limitMs = limit;
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

  /** Whatever credentials came with it, nobody looks at them. */
  #acceptPublic(request: ApiRequest, dispatch: Dispatch): void {
    request.user = ANONYMOUS;
    request.isPublic = true;
    this.#limit(request, dispatch);
  }

  /** Runs a handler for a request that the framework's router brought; what it throws becomes the answer. */
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

  /** Answers with an error, from wherever it was thrown. */
  fail(request: ApiRequest, error: unknown): void {
    this.#options.errors.write(request, error);
  }

  /** As `fail`, where authentication may not be over. */
  #failEarly(request: ApiRequest, error: unknown): void {
    if (!request.isIdentified) this.#options.recorder.refused(request, error);
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
      const text = `Internal Server Error: ${quote(raw.url ?? '')}: failed to create RequestInfo: ${error.message}`;
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
      // An answer that was whole has left nobody waiting.
      if (request.answeredAt === 0) request.abort(new ClientGone());
    });
  }

  /** Who asks is known, and the record of the request begins. */
  #identify(request: ApiRequest, user: UserInfo | undefined, dispatch: Dispatch): void {
    if (user) {
      request.user = user;
      if (user.name !== ANONYMOUS.name) {
        request.account.usedBy(user.name);
        useOf(request.raw.socket)?.authenticated();
      }
    }
    const recorded = this.#options.recorder.begin(request);
    if (!recorded) return this.#impersonate(request, dispatch);
    recorded.then(() => this.#impersonate(request, dispatch)).catch((error: unknown) => this.fail(request, error));
  }

  /** As whom the sender wants to be taken. */
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
        request.impersonator = request.user;
        request.user = user;
        request.impersonationConstraint = constraint;
        request.audit?.impersonated(user, constraint);
        this.#limit(request, dispatch);
      })
      .catch((error: unknown) => this.fail(request, error));
  }

  /** Answers with a refusal that browsers must not take for a page (apiserver responsewriters.RespondWithError). */
  #refuse(request: ApiRequest, error: unknown): void {
    if (error instanceof ApiError) this.#options.errors.writeStatus(request, error.status, NO_SNIFFING);
    else this.fail(request, error);
  }

  /** Goes on now or when it is the request's turn, or answers 429. */
  #limit(request: ApiRequest, dispatch: Dispatch): void {
    const { limiter, watches } = this.#options;
    // Whoever reads his answers holds next to nothing. One who does not gets no more of them, long before he would be cut off.
    const { user, info, account } = request;
    if (account.isOwnerNearLimit && !user.groups.includes(SYSTEM_MASTERS)) return sendTooManyRequests(request, 1);
    if (info.verb === 'watch' && !watches.begin(request)) return sendTooManyRequests(request, 1);
    const ticket = limiter.admit(request);
    request.ticket = ticket;
    if (!ticket || ticket.state === 'executing') return this.#seated(request, dispatch);
    ticket.decided = (retryAfter) => {
      if (retryAfter !== undefined) return sendTooManyRequests(request, retryAfter);
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
    const decision = this.#options.authorizer.authorize(request.user, request.info);
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

  /** Nobody could say whether he may (apiserver responsewriters.InternalError). */
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
    if (route === 'status') throw resourceNotFound();
    checkMediaTypes(route, method, request.headers['content-type'], request.accept);
    request.admittedAt = performance.now();
    this.#options.metrics.begin(request, route);
    if (route.serve) return this.#handle(request, route.serve);
    // A request line may hold a whole URL, which the framework does not know.
    raw.url = route.target || url.path;
    // A plain handler answers every method; the framework has it under one.
    if (route.anyMethod) raw.method = 'GET';
    dispatch(raw, request.response);
  }

  /** The handler answers all its errors itself. */
  #handle(request: ApiRequest, serve: (request: ApiRequest) => Promise<void>): void {
    const { ticket } = request;
    ticket?.handle();
    const served = serve(request);
    if (ticket) void served.then(() => ticket.handled());
  }

  /** As `#handle`, for a handler that the framework has called. */
  async #untilHandled(request: ApiRequest, handling: Promise<void>): Promise<void> {
    const { ticket } = request;
    ticket?.handle();
    await handling.catch((error: unknown) => this.fail(request, error));
    ticket?.handled();
  }

  /** Answers 504, or cuts off an answer that its client does not take. */
  #expire(request: ApiRequest): void {
    const reason = new DeadlineExceeded('the time of the request is up');
    const { response } = request;
    request.abort(reason);
    request.series?.terminated(504);
    if (response.headersSent) cutOff(request);
    else {
      // What has not come of its body yet may never come.
      if (!request.raw.complete) response.shouldKeepAlive = false;
      this.fail(request, reason);
    }
  }
}
