import type { Verb } from '../../registry/resource/resource-definition.js';
import type { RequestSeries } from '../metrics/request-series.js';
import type { ApiRequest } from '../request/api-request.js';

export type ScopeLabel = 'resource' | 'namespace' | 'cluster' | '';

/** What a path and method lead to, with what go-restful checks before its function runs. */
export interface Route {
  /**
   * A path that the framework's router knows, with `-` for each parameter: `/apis/-/-`. It need not be one that clients can ask for. For
   * resources, which the router does not know, a name of the path in the same form.
   */
  readonly target: string;
  /** Serves every method alike. */
  readonly anyMethod?: boolean;
  /** Media types in the Accept header that lead here; absent: any. */
  readonly produces?: readonly string[];
  /** Media types of the request body that lead here; absent: any. */
  readonly consumes?: readonly string[];
  /** What is done with a resource; absent for documents. */
  readonly verb?: Verb;
  /** That requests are counted, and with which scope (apiserver endpoints/installer.go); '' without a resource. */
  readonly measured?: ScopeLabel;
  /** What they count as, put here as they come. */
  series?: RequestSeries[];
  /**
   * Serves a resource, without the framework's router in between; absent for documents and pages, which are its controllers'.
   */
  serve?: (request: ApiRequest) => Promise<void>;
}

/** The methods of one path. `any` serves methods that are not listed (plain handlers, which look at no method). */
export interface RouteNode {
  readonly methods: ReadonlyMap<string, Route>;
  readonly any?: Route;
}

/** `text`: no API lives there; `status`: within a served API, but not this. */
export type NotFoundForm = 'text' | 'status';
