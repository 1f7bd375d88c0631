import { Inject, Injectable } from '@nestjs/common';
import type { ApiError } from '../../apimachinery/errors/api-error.js';
import { resourceNotFound } from '../../apimachinery/errors/status-errors.js';
import { SYSTEM_MASTERS } from '../../auth/authentication/authenticator.js';
import { Storage } from '../../storage/storage.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import type { Tracing } from '../../telemetry/tracing/tracing.js';
import type { RawRequest, RawResponse } from '../exchange/raw-exchange.js';
import { type WatchesOfUsers, createLimits } from '../flow-control/create-limits.js';
import type { RequestLimiter } from '../flow-control/request-limiter.js';
import type { RequestInfo } from '../request-info/request-info.js';
import type { ApiRequest } from '../request/api-request.js';
import { type RequestDeadlines, timeLimitMs } from '../request/request-deadlines.js';
import { RequestsInFlight } from '../request/requests-in-flight.js';
import type { ErrorWriter } from '../response/error-writer.js';
import { sendText } from '../response/send-response.js';
import type { RouteTable } from '../routing/route-table.js';
import { checkMediaTypes } from '../routing/route.js';
import { ServingSettings, servingLimits } from '../settings/serving.settings.js';
import type { Fail, Filter, Handler } from './filter.js';
import type { RequestMetrics } from './request-observers.js';

/** Runs the rest in a span for the request, which ends when the response is closed. */
export function withTracing(tracing: Tracing): Filter {
  return (next) => (request) => {
    const { info, method, headers, response } = request;
    const name = info.isResourceRequest ? `${info.verb} ${[info.resource, info.subresource].filter(Boolean).join('/')}` : method;
    const trace = tracing.request(name, headers, {
      'http.request.method': method,
      'url.path': request.url.path,
      'user_agent.original': request.userAgent,
      'audit-id': request.loggedAuditId,
      ...(info.namespace === '' ? {} : { 'k8s.namespace.name': info.namespace }),
    });
    response.on('close', () => {
      const { statusCode, headersSent } = response;
      trace.end(
        headersSent ? { 'http.response.status_code': statusCode, 'http.response.body.size': request.progress.sentBytes } : {},
        statusCode >= 500,
      );
    });
    trace.run(() => next(request));
  };
}

/** Gives requests other than watches a deadline: 400 for a timeout that is no duration. */
export function withDeadline(deadlines: RequestDeadlines, requestTimeoutMs: number): Filter {
  return (next) => (request) => {
    const limitMs = timeLimitMs(request, requestTimeoutMs);
    if (limitMs !== undefined) deadlines.limit(request, limitMs);
    next(request);
  };
}

/** Goes on at once or when seats are free: 429 if neither may be, or if the user's clients hold too much memory or too many watches. */
export function withFlowControl({ limiter, watches }: RequestLimiting, errors: ErrorWriter, fail: Fail): Filter {
  return (next) => (request) => {
    const { user, info, account } = request;
    // A client that reads its responses holds almost no memory. One that does not gets no more, well before it is cut off.
    if (account.isOwnerNearLimit && !user.groups.includes(SYSTEM_MASTERS)) return errors.writeTooManyRequests(request, 1);
    if (info.verb === 'watch' && !watches.begin(request)) return errors.writeTooManyRequests(request, 1);
    const ticket = limiter.admit(request);
    request.admission.takeTicket(ticket);
    if (!ticket || ticket.state === 'executing') return next(request);
    ticket.decided = (retryAfter) => {
      if (retryAfter !== undefined) return errors.writeTooManyRequests(request, retryAfter);
      try {
        next(request);
      } catch (error) {
        fail(request, error);
      }
    };
  };
}

/** Limits the number and duration of requests, and tracks those in progress. */
@Injectable()
export class RequestLimiting {
  readonly limiter: RequestLimiter;
  readonly watches: WatchesOfUsers;
  readonly requestTimeoutMs: number;

  constructor(
    readonly inFlight: RequestsInFlight,
    settings: ServingSettings,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
    @Inject(CLOCK) now: Clock,
    { sizes: resourceSizes }: Storage,
  ) {
    const { requestTimeout: requestTimeoutMs } = settings;
    const limits = servingLimits(settings).requests;
    const { limiter, watches } = createLimits({ limits, requestTimeoutMs, now, resourceSizes }, main);
    this.limiter = limiter;
    this.watches = watches;
    this.requestTimeoutMs = requestTimeoutMs;
  }
}

/** Passes an admitted request to the framework, whose router dispatches by `raw.url`. */
export type Dispatch = (raw: RawRequest, response: RawResponse) => void;

/** The last handler: serves the request by its route, or sends 404, 405, 415 or 406. */
export function serveRoute(routes: RouteTable, metrics: RequestMetrics, dispatch: Dispatch): Handler {
  return (request) => {
    const { method, url, raw } = request;
    const route = (request.isPublic ? routes.landingFor(request) : undefined) ?? routes.find(method, url);
    if (route === 'text') return sendText(request, 404, '404 page not found\n');
    if (route === 'status') throw absentResource(request.info);
    checkMediaTypes(route, method, request.headers['content-type'], request.accept);
    request.admission.admit();
    metrics.begin(request, route);
    if (route.serve) return serve(request, route.serve);
    // A controller has each path under one method, whatever methods it serves.
    raw.url = route.target;
    raw.method = 'GET';
    dispatch(raw, request.response);
  };
}

/** Runs a handler that sends its own errors. */
function serve(request: ApiRequest, handle: (request: ApiRequest) => Promise<void>): void {
  const { ticket } = request.admission;
  ticket?.handle();
  const served = handle(request);
  if (ticket) void served.then(() => ticket.handled());
}

const LEASES = 'but Leases (coordination.k8s.io/v1), with which leaders can be elected';

/** Kinds of core/v1 that clients of this API still ask for: old elections keep their records in them, Helm and Terraform their releases and states. */
const ABSENT: ReadonlyMap<string, string> = new Map([
  ['configmaps', `ConfigMaps, ${LEASES}`],
  ['endpoints', `Endpoints, ${LEASES}`],
  ['secrets', "Secrets: apply what `helm template` prints, and keep Terraform's state with its http backend"],
]);

/** 404 for a resource that is not served. A client that would keep something else in it learns what to use instead. */
function absentResource({ apiGroup, resource }: Pick<RequestInfo, 'apiGroup' | 'resource'>): ApiError {
  const absent = apiGroup === '' ? ABSENT.get(resource) : undefined;
  return resourceNotFound(absent && `this server has no ${absent}`);
}
