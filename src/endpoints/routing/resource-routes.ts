import type { Verb } from '../../registry/resource-definition.js';
import type { ResourceRegistry, ServedResource, Subresource } from '../../registry/resource-registry.js';
import type { Serializers } from '../negotiation/serializers.js';
import type { Route, RouteNode } from './route.js';

/** What PATCH takes; its parameters are ignored. CBOR's comes with the CBOR serializer. */
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** The nodes of one resource, by the shape of the path behind the group version. */
interface ResourceNodes {
  /** `leases` of a namespaced resource. */
  all?: RouteNode;
  collection?: RouteNode;
  item?: RouteNode;
  watchAll?: RouteNode;
  watchCollection?: RouteNode;
  watchItem?: RouteNode;
  /** By name; undefined for the many resources without. */
  subresources?: ReadonlyMap<string, RouteNode>;
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

  /** `segments` stand behind the group version; undefined where there is no such path. */
  find(segments: readonly string[]): RouteNode | undefined {
    const watch = segments[0] === 'watch';
    const parts = watch ? segments.slice(1) : segments;
    const nodes = this.#nodes.get((parts[0] === 'namespaces' ? parts[2] : undefined) ?? '');
    if (nodes?.all) return namespacedNode(nodes, parts, watch);
    return clusterNode(this.#nodes.get(parts[0] ?? ''), parts, watch);
  }
}

/** Behind `namespaces/NAMESPACE/RESOURCE`. */
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

/** Behind `RESOURCE`: cluster-scoped resources, and all namespaces of the others. */
function clusterNode(nodes: ResourceNodes | undefined, parts: readonly string[], watch: boolean): RouteNode | undefined {
  if (!nodes) return undefined;
  if (parts.length === 1) return watch ? nodes.watchAll : (nodes.all ?? nodes.collection);
  if (nodes.all) return undefined;
  if (parts.length === 2) return watch ? nodes.watchItem : nodes.item;
  return parts.length === 3 && !watch ? nodes.subresources?.get(parts[2] ?? '') : undefined;
}

/** The methods of verbs on one object. */
const ITEM_METHODS: readonly (readonly [Verb, string])[] = [
  ['get', 'GET'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
];

function subresourceNodes(served: ServedResource, subresources: readonly Subresource[], serializers: Serializers): Map<string, RouteNode> {
  const item = `${collectionPath(served)}/-`;
  const produces = serializers.mediaTypes;
  return new Map(
    subresources.map(({ name, verbs }) => {
      const methods: Record<string, Route> = {};
      for (const [verb, method] of ITEM_METHODS) {
        const consumes = verb === 'patch' ? patchTypes(serializers) : undefined;
        if (verbs.includes(verb)) methods[method] = { target: `${item}/${name}`, produces, consumes };
      }
      return [name, { methods }];
    }),
  );
}

function collectionPath({ definition, version }: ServedResource): string {
  const root = groupVersionPath(definition.group, version.name);
  return definition.namespaced ? `${root}/namespaces/-/${definition.resource}` : `${root}/${definition.resource}`;
}

function nodesOf(served: ServedResource, serializers: Serializers): ResourceNodes {
  const { definition, version } = served;
  const root = groupVersionPath(definition.group, version.name);
  const { resource, namespaced } = definition;
  const collection = collectionPath(served);
  const watchCollection = collection.replace(root, `${root}/watch`);
  const verbs = new Set(definition.verbs);
  const objects = serializers.mediaTypes;
  const streams = [...objects, ...serializers.streamMediaTypes];
  const route = (target: string, produces = objects): Route => ({ target, produces });
  const only = (verb: Verb, method: string, entry: Route): Record<string, Route> => (verbs.has(verb) ? { [method]: entry } : {});
  const list = (target: string): RouteNode => ({ methods: only('list', 'GET', route(target, streams)) });
  const watch = (target: string): RouteNode => ({ methods: only('watch', 'GET', route(target, streams)) });
  return {
    ...(namespaced ? { all: list(`${root}/${resource}`), watchAll: watch(`${root}/watch/${resource}`) } : {}),
    collection: {
      methods: {
        ...only('list', 'GET', route(collection, streams)),
        ...only('create', 'POST', route(collection)),
        ...only('deletecollection', 'DELETE', route(collection)),
      },
    },
    ...(namespaced ? { watchCollection: watch(watchCollection) } : { watchAll: watch(watchCollection) }),
    item: {
      methods: {
        ...only('get', 'GET', route(`${collection}/-`)),
        ...only('update', 'PUT', route(`${collection}/-`)),
        ...only('patch', 'PATCH', { target: `${collection}/-`, produces: objects, consumes: patchTypes(serializers) }),
        ...only('delete', 'DELETE', route(`${collection}/-`)),
      },
    },
    watchItem: watch(`${watchCollection}/-`),
  };
}

function patchTypes(serializers: Serializers): string[] {
  return serializers.forMediaType('application/cbor') ? [...PATCH_TYPES, 'application/apply-patch+cbor'] : PATCH_TYPES;
}
