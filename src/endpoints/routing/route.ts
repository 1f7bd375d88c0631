import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { Verb } from '../../registry/resource/resource-definition.js';
import type { RequestSeries } from '../metrics/request-series.js';
import type { ApiRequest } from '../request/api-request.js';

/** Serves a request, its errors included. */
export type Serve = (request: ApiRequest) => Promise<void>;

export type ScopeLabel = 'resource' | 'namespace' | 'cluster' | '';

/** The target of a path and method, with what go-restful checks before calling its function. */
export interface Route {
  /**
   * A path that the framework's router knows, with `-` for each parameter: `/apis/-/-`. It need not be one that clients can ask for. For
   * resources, which the router does not know, a name of the path in the same form.
   */
  readonly target: string;
  /** Whether it serves every method. */
  readonly anyMethod?: boolean;
  /** Accepted media types in the Accept header; absent: any. */
  readonly produces?: readonly string[];
  /** Accepted media types of the request body; absent: any. */
  readonly consumes?: readonly string[];
  /** The verb on a resource; absent for documents. */
  readonly verb?: Verb;
  /** The scope label under which requests are counted (apiserver endpoints/installer.go), '' without a resource; absent: not counted. */
  readonly measured?: ScopeLabel;
  /** Metrics of these requests, added on first use. */
  series?: RequestSeries[];
  /**
   * Serves a resource, without the framework's router in between; absent for documents and pages, which are its controllers'.
   */
  serve?: Serve;
}

/** The methods of one path. `any` serves methods that are not listed, for plain handlers. */
export interface RouteNode {
  readonly methods: ReadonlyMap<string, Route>;
  readonly any?: Route;
  /** What to use instead of a method that is not listed. */
  readonly others?: string;
}

/** `text`: no API is served there; `status`: the path is within a served API, but unknown. */
export type NotFoundForm = 'text' | 'status';

/** Methods that may omit Content-Type although the route declares what it consumes. */
const BODYLESS = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE']);

/**
 * The checks of upstream's router (go-restful route.go): the body's type, then whether any entry of Accept is literally one of the produced
 * types or the wildcard for all types; no other wildcard matches. Throws its 415 and 406, whose texts differ from those of the handlers.
 */
export function checkMediaTypes(route: Route, method: string, contentType: string | undefined, accept: string | undefined): void {
  if (route.consumes && !consumes(route.consumes, method, contentType)) {
    throw new ApiError({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} });
  }
  if (route.produces && accept && !anyMatches(accept, route.produces)) {
    const message = `406: Not Acceptable\n\nAvailable representations: ${route.produces.join(', ')}`;
    throw new ApiError({ code: 406, reason: 'NotAcceptable', message, details: {} });
  }
}

function consumes(types: readonly string[], method: string, contentType: string | undefined): boolean {
  if (!contentType) return BODYLESS.has(method) || types.includes('application/octet-stream');
  return anyMatches(contentType, types, false);
}

function anyMatches(header: string, types: readonly string[], wildcard = true): boolean {
  if (types.includes(header)) return true;
  return header.split(',').some((entry) => {
    const semicolon = entry.indexOf(';');
    const type = (semicolon < 0 ? entry : entry.slice(0, semicolon)).trim();
    return (wildcard && type === '*/*') || types.includes(type);
  });
}
