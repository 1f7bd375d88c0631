import type { Verb } from '../../registry/resource-definition.js';
import type { ServedResource } from '../../registry/resource-registry.js';
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
}

/** Path of a group version: `/apis/coordination.k8s.io/v1`, `/api/v1`. */
export function groupVersionPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Looks up the paths below one group version, with the rules of go-restful's curly router. */
export class ResourceRoutes {
  readonly #nodes = new Map<string, ResourceNodes>();

  constructor(resources: readonly ServedResource[], serializers: Serializers) {
    for (const served of resources) this.#nodes.set(served.definition.resource, nodesOf(served, serializers));
  }

  /** `segments` stand behind the group version; undefined where there is no such path. */
  find(segments: readonly string[]): RouteNode | undefined {
    const watch = segments[0] === 'watch';
    const parts = watch ? segments.slice(1) : segments;
    if (parts.length > 4) return undefined;
    if (parts[0] === 'namespaces' && parts.length > 2) {
      const nodes = this.#nodes.get(parts[2] ?? '');
      if (parts.length === 3) return watch ? nodes?.watchCollection : namespacedOnly(nodes)?.collection;
      return watch ? namespacedOnly(nodes)?.watchItem : namespacedOnly(nodes)?.item;
    }
    const nodes = this.#nodes.get(parts[0] ?? '');
    if (parts.length === 1) {
      if (watch) return nodes?.watchAll;
      return nodes?.all ?? nodes?.collection;
    }
    if (parts.length !== 2 || nodes?.all) return undefined;
    return watch ? nodes?.watchItem : nodes?.item;
  }
}

/** Only namespaced resources have a path for all namespaces. */
function namespacedOnly(nodes: ResourceNodes | undefined): ResourceNodes | undefined {
  return nodes?.all ? nodes : undefined;
}

function nodesOf({ definition, version }: ServedResource, serializers: Serializers): ResourceNodes {
  const root = groupVersionPath(definition.group, version.name);
  const { resource, namespaced } = definition;
  const collection = namespaced ? `${root}/namespaces/-/${resource}` : `${root}/${resource}`;
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
