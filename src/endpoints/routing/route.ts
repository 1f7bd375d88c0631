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
