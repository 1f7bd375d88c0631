import type { ApiError } from '../../apimachinery/errors/api-error.js';
import { resourceNotFound } from '../../apimachinery/errors/status-errors.js';
import type { RequestInfo } from '../request-info/request-info.js';
import type { RawRequest, RawResponse } from '../exchange/raw-exchange.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendText } from '../response/send-response.js';
import { checkMediaTypes } from '../routing/check-media-types.js';
import type { RouteTable } from '../routing/route-table.js';
import type { Handler } from './filter.js';
import type { RequestMetrics } from './request-metrics.js';

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
