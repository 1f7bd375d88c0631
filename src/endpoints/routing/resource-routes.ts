import type { Verb } from '../../registry/resource/resource-definition.js';
import type { ResourceRegistry, ServedResource, Subresource } from '../../registry/resource-registry.js';
import { type Serializers, patchMediaTypes } from '../negotiation/serializers.js';
import type { ScopeLabel, Route, RouteNode, Serve } from './route.js';

/** The nodes of one resource by the shape of the path after the group version. Paths without a served verb are absent. */
interface ResourceNodes {
  readonly namespaced: boolean;
  /** `leases` across all namespaces, for a namespaced resource. */
  all?: RouteNode;
  collection?: RouteNode;
  item?: RouteNode;
  watchAll?: RouteNode;
  watchCollection?: RouteNode;
  watchItem?: RouteNode;
  /** By name; undefined for resources without subresources. */
  subresources?: Map<string, RouteNode>;
}

/** Path of a group version: `/apis/coordination.k8s.io/v1`, `/api/v1`. */
export function groupVersionPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Looks up the paths below one group version, with the rules of go-restful's curly router. */
export class ResourceRoutes {
  readonly #nodes = new Map<string, ResourceNodes>();

  constructor(registry: ResourceRegistry, group: string, version: string, serializers: Serializers) {
    for (const served of registry.inGroupVersion(group, version)) {
      const nodes = nodesOf(served, serializers);
      const subresources = registry.subresourcesOf(served.definition);
      if (subresources.length > 0) nodes.subresources = subresourceNodes(served, subresources, serializers);
      this.#nodes.set(served.definition.resource, nodes);
    }
  }

  /** All routes of a resource, or of one of its subresources. */
  routesOf(resource: string, subresource?: string): Route[] {
    const nodes = this.#nodes.get(resource);
    const { subresources, namespaced: _, ...own } = nodes ?? {};
    const found: (RouteNode | undefined)[] = subresource === undefined ? Object.values(own) : [subresources?.get(subresource)];
    return found.flatMap((node) => [...(node?.methods.values() ?? [])]);
  }

  /** Adds a subresource of one object that accepts and produces any media type. */
  add(
    resource: string,
    { subresource, serve, others }: { subresource: string; serve: Readonly<Record<string, Serve>>; others: string },
  ): void {
    const nodes = this.#nodes.get(resource);
    if (!nodes) return;
    const target = `${resource}/-/${subresource}`;
    const methods = Object.entries(serve).map(([method, run]): [string, Route] => [method, { target, measured: 'resource', serve: run }]);
    (nodes.subresources ??= new Map()).set(subresource, { methods: new Map(methods), others });
  }

  /** `segments` follow the group version. Undefined if there is no such path. */
  find(segments: readonly string[]): RouteNode | undefined {
    const watch = segments[0] === 'watch';
    const parts = watch ? segments.slice(1) : segments;
    const nodes = this.#nodes.get((parts[0] === 'namespaces' ? parts[2] : undefined) ?? '');
    if (nodes?.namespaced) return namespacedNode(nodes, parts, watch);
    return clusterNode(this.#nodes.get(parts[0] ?? ''), parts, watch);
  }
}

/** Looks up what follows `namespaces/NAMESPACE/RESOURCE`. */
function namespacedNode(nodes: ResourceNodes, parts: readonly string[], watch: boolean): RouteNode | undefined {
  switch (parts.length) {
    case 3:
      return watch ? nodes.watchCollection : nodes.collection;
    case 4:
      return watch ? nodes.watchItem : nodes.item;
    case 5:
      return watch ? undefined : nodes.subresources?.get(parts[4] ?? '');
    default:
      return undefined;
  }
}

/** Looks up what follows `RESOURCE`: cluster-scoped resources, and all namespaces of the others. */
function clusterNode(nodes: ResourceNodes | undefined, parts: readonly string[], watch: boolean): RouteNode | undefined {
  if (!nodes) return undefined;
  if (parts.length === 1) return watch ? nodes.watchAll : nodes.namespaced ? nodes.all : nodes.collection;
  if (nodes.namespaced) return undefined;
  if (parts.length === 2) return watch ? nodes.watchItem : nodes.item;
  return parts.length === 3 && !watch ? nodes.subresources?.get(parts[2] ?? '') : undefined;
}

/** The methods of verbs on one object. */
const ITEM_METHODS: readonly (readonly [Verb, string])[] = [
  ['get', 'GET'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
];

const SUBRESOURCE_METHODS: readonly (readonly [Verb, string])[] = [...ITEM_METHODS, ['create', 'POST']];

const COLLECTION_METHODS: readonly (readonly [Verb, string])[] = [
  ['list', 'GET'],
  ['create', 'POST'],
  ['deletecollection', 'DELETE'],
];

function subresourceNodes(served: ServedResource, subresources: readonly Subresource[], serializers: Serializers): Map<string, RouteNode> {
  const routes = new RouteMaker(serializers);
  const item = `${collectionPath(served)}/-`;
  return new Map(
    subresources.map(({ name, verbs }) => [
      name,
      routes.node(`${item}/${name}`, { scope: 'resource', verbs, methods: SUBRESOURCE_METHODS }),
    ]),
  );
}

function collectionPath({ definition, version }: ServedResource): string {
  const root = groupVersionPath(definition.group, version.name);
  return definition.namespaced ? `${root}/namespaces/-/${definition.resource}` : `${root}/${definition.resource}`;
}

function nodesOf(served: ServedResource, serializers: Serializers): ResourceNodes {
  const routes = new RouteMaker(serializers);
  const { verbs, resource, namespaced } = served.definition;
  const root = groupVersionPath(served.definition.group, served.version.name);
  const collection = collectionPath(served);
  const watch = (target: string, scope: ScopeLabel): RouteNode =>
    routes.node(target.replace(root, `${root}/watch`), { scope, verbs, methods: [['watch', 'GET']] });
  const across = `${root}/${resource}`;
  const scope = namespaced ? 'namespace' : 'cluster';
  const nodes: Omit<Record<keyof ResourceNodes, RouteNode>, 'namespaced' | 'subresources'> = {
    all: routes.node(across, { scope: 'cluster', verbs: namespaced ? verbs : [], methods: [['list', 'GET']] }),
    watchAll: watch(namespaced ? across : collection, 'cluster'),
    watchCollection: watch(collection, scope),
    collection: routes.node(collection, { scope, verbs, methods: COLLECTION_METHODS }),
    item: routes.node(`${collection}/-`, { scope: 'resource', verbs, methods: ITEM_METHODS }),
    watchItem: watch(`${collection}/-`, 'resource'),
  };
  return { namespaced, ...Object.fromEntries(Object.entries(nodes).filter(([, { methods }]) => methods.size > 0)) };
}

interface NodeOptions {
  readonly scope: ScopeLabel;
  readonly verbs: readonly Verb[];
  readonly methods: readonly (readonly [Verb, string])[];
}

/** Creates routes with the media types that each verb consumes and produces. */
class RouteMaker {
  readonly #objects: readonly string[];
  readonly #streams: readonly string[];
  readonly #patches: readonly string[];

  constructor(serializers: Serializers) {
    this.#objects = serializers.mediaTypes;
    this.#streams = [...serializers.mediaTypes, ...serializers.streamMediaTypes];
    this.#patches = patchMediaTypes(serializers);
  }

  /** The node of a path, with the methods whose verbs the resource has. */
  node(target: string, { scope, verbs, methods }: NodeOptions): RouteNode {
    const served = methods.filter(([verb]) => verbs.includes(verb));
    return { methods: new Map(served.map(([verb, method]) => [method, this.#route(target, verb, scope)])) };
  }

  #route(target: string, verb: Verb, scope: ScopeLabel): Route {
    const produces = verb === 'list' || verb === 'watch' ? this.#streams : this.#objects;
    const measured = verb === 'create' ? 'resource' : scope;
    return { target, verb, measured, produces, ...(verb === 'patch' ? { consumes: this.#patches } : {}) };
  }
}
