import { Injectable } from '@nestjs/common';
import { methodNotAllowed } from '../../apimachinery/errors/status-errors.js';
import type { Verb } from '../../registry/resource/resource-definition.js';
import { ResourceRegistry } from '../../registry/resource-registry.js';
import { MediaTypes } from '../negotiation/output-negotiation.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestUrl } from '../request-info/query.js';
import { groupVersionPath, ResourceRoutes } from './resource-routes.js';
import type { NotFoundForm, Route, RouteNode, Serve } from './route.js';

/** Identifies a resource in a version, or one of its subresources. */
export interface BoundResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** The paths of the index, which does not list itself (apiserver pkg/server/routes/index.go). */
const INDEX_PATHS: readonly string[] = ['/', '/index.html'];

const JSON_ONLY = ['application/json'];
const NO_METHODS: ReadonlyMap<string, Route> = new Map();

/**
 * All paths of the server and their routes, fixed at start. It is consulted before the framework's router, which knows neither upstream's
 * order of errors (404, 405, 415, 406) nor its two kinds of 404.
 */
@Injectable()
export class RouteTable {
  readonly #exact = new Map<string, RouteNode>();
  /** By group, '' for core, and version. */
  readonly #resources = new Map<string, Map<string, ResourceRoutes>>();
  /** The root paths of groups, as in upstream's web services; any number of slashes may follow them. */
  readonly #groupServices = new Map<string, RouteNode>();
  /** Paths below which an unknown path gets a Status: the roots of upstream's web services. */
  readonly #statusRoots = new Set<string>();
  #longestRoot = 0;
  readonly #pages = new Map<string, RouteNode>();
  readonly #unlisted = new Map<string, RouteNode>();
  #landing: Route | undefined;
  readonly #prefixes: { readonly prefix: string; readonly node: RouteNode }[] = [];

  constructor(registry: ResourceRegistry, { serializers }: MediaTypes) {
    const document = { produces: serializers.mediaTypes, consumes: serializers.mediaTypes };
    for (const group of registry.groups) {
      const versions = new Map<string, ResourceRoutes>();
      this.#resources.set(group.name, versions);
      if (group.name !== '') {
        this.#addRoot(`/apis/${group.name}`);
        const service = nodeOfGet({ target: '/apis/-', ...document });
        this.#groupServices.set(`/apis/${group.name}`, service);
        this.plain(`/apis/${group.name}`, '/apis/-');
        this.plain(`/apis/${group.name}/`, '/apis/-');
      }
      for (const version of group.versions) {
        const root = groupVersionPath(group.name, version);
        const target = group.name === '' ? '/api/-' : '/apis/-/-';
        versions.set(version, new ResourceRoutes(registry, group.name, version, serializers));
        this.#service(root, nodeOfGet({ target, ...document }));
      }
    }
    this.#service('/api', nodeOfGet({ target: '/api', ...document }));
    this.#service('/version', nodeOfGet({ target: '/version', produces: JSON_ONLY, consumes: JSON_ONLY }));
    for (const path of ['/apis', '/apis/']) this.plain(path, '/apis');
    for (const path of INDEX_PATHS) this.plain(path, '/');
  }

  /** Adds a path whose handler ignores method and media type. `target` is the framework's route. */
  plain(path: string, target: string, { measured = false } = {}): void {
    this.#exact.set(path, { methods: NO_METHODS, any: { target, anyMethod: true, ...(measured ? { measured: '' } : {}) } });
  }

  /** Adds a document of one media type; the framework has it under the same path. */
  document(path: string, mediaType: string): void {
    this.#service(path, nodeOfGet({ target: path, produces: [mediaType] }));
  }

  /** Adds a document of one media type that neither `/` nor discovery lists. */
  unlisted(path: string, mediaType: string): void {
    this.#unlisted.set(path, nodeOfGet({ target: path, produces: [mediaType] }));
  }

  /** Adds a public page, which needs no authentication and which `/` does not list. `target` is the framework's route. */
  page(path: string, target: string): void {
    const route = { target };
    this.#pages.set(path, {
      methods: new Map([
        ['GET', route],
        ['HEAD', route],
      ]),
    });
  }

  /** Sets the redirect that browsers get at `/`; other clients get the list of paths. `target` is the framework's route. */
  landing(target: string): void {
    this.#landing = { target };
  }

  /** The redirect for a browser's request of `/`. */
  landingFor({ method, url, accept }: Pick<ApiRequest, 'method' | 'url' | 'accept'>): Route | undefined {
    if (!this.#landing || url.path !== '/' || !['GET', 'HEAD'].includes(method)) return undefined;
    return accept?.split(',').some((range) => range.trim().startsWith('text/html')) ? this.#landing : undefined;
  }

  /** Whether a path needs no authentication. */
  isPublic(path: string): boolean {
    return this.#pages.has(path);
  }

  /** Adds everything below a path; otherwise like `plain`. */
  prefix(prefix: string, target: string): void {
    this.#prefixes.push({ prefix, node: { methods: NO_METHODS, any: { target, anyMethod: true } } });
  }

  /** The paths that `/` lists. */
  paths(): string[] {
    return [...this.#exact.keys()].filter((path) => path === '/apis/' || !(path.endsWith('/') || INDEX_PATHS.includes(path))).sort();
  }

  /** The route for a path and method, or the form of the 404 if the path is unknown. Throws the 405. */
  find(method: string, url: RequestUrl): Route | NotFoundForm {
    const node = this.#resourceNode(url) ?? this.#node(url);
    if (typeof node === 'string') return node;
    const route = node.methods.get(method) ?? node.any;
    if (!route) throw methodNotAllowed(node.others);
    return route;
  }

  /** Binds the routes of a resource or subresource to the function that serves them. */
  bind({ group, version, resource, subresource }: BoundResource, serve: (verb: Verb, request: ApiRequest) => Promise<void>): void {
    for (const route of this.#resources.get(group)?.get(version)?.routesOf(resource, subresource) ?? []) {
      const { verb } = route;
      if (verb) route.serve = (request) => serve(verb, request);
    }
  }

  /** Adds a subresource that is no object, with what serves each method. `others`: what the 405 of other methods says. */
  subresource(
    { group, version, resource, subresource, others }: Required<BoundResource> & { readonly others: string },
    serve: Readonly<Record<string, Serve>>,
  ): void {
    this.#resources.get(group)?.get(version)?.add(resource, { subresource, serve, others });
  }

  #service(root: string, node: RouteNode): void {
    this.#addRoot(root);
    this.#exact.set(root, node).set(`${root}/`, node);
  }

  #addRoot(root: string): void {
    this.#statusRoots.add(root);
    this.#longestRoot = Math.max(this.#longestRoot, root.length);
  }

  /** Looks up the path of a resource. With doubled leading slashes there is none, because upstream compares prefixes of the whole path. */
  #resourceNode({ path, segments }: RequestUrl): RouteNode | undefined {
    if (segments.length < 3 || path.startsWith('//')) return undefined;
    if (segments[0] === 'apis') {
      const routes = this.#resources.get(segments[1] ?? '')?.get(segments[2] ?? '');
      return segments[1] === '' ? undefined : routes?.find(segments.slice(3));
    }
    if (segments[0] !== 'api') return undefined;
    return this.#resources
      .get('')
      ?.get(segments[1] ?? '')
      ?.find(segments.slice(2));
  }

  #node({ path, segments }: RequestUrl): RouteNode | NotFoundForm {
    const exact = this.#exact.get(path) ?? this.#pages.get(path) ?? this.#unlisted.get(path) ?? this.#rootBeforeSlashes(path, segments);
    if (exact) return exact;
    const prefixed = this.#prefixes.find(({ prefix }) => path.startsWith(prefix));
    if (prefixed) return prefixed.node;
    return this.#isBelowService(path) ? 'status' : 'text';
  }

  /** The root of a service may have any number of slashes behind it (go-restful trims them). */
  #rootBeforeSlashes(path: string, segments: readonly string[]): RouteNode | undefined {
    if (!path.endsWith('//') || path.startsWith('//')) return undefined;
    const root = `/${segments.join('/')}`;
    const service = this.#groupServices.get(root);
    if (service) return service;
    return this.#statusRoots.has(root) ? this.#exact.get(root) : undefined;
  }

  #isBelowService(path: string): boolean {
    // A path may have nothing but slashes: beginnings that no root is as long as are not looked up.
    for (let end = path.indexOf('/', 1); end > 0 && end <= this.#longestRoot; end = path.indexOf('/', end + 1)) {
      if (this.#statusRoots.has(path.slice(0, end))) return true;
    }
    return this.#statusRoots.has(path);
  }
}

function nodeOfGet(route: Route): RouteNode {
  return { methods: new Map([['GET', route]]) };
}
