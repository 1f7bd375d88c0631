import type { GroupResource } from '../apimachinery/schema/group-resource.js';
import type { ResourceDefinition, ResourceVersionDefinition, Verb } from './resource-definition.js';
import type { ResourceStore } from './resource-store.js';

/** A resource in one of its served versions. */
export interface ServedResource {
  readonly store: ResourceStore;
  readonly definition: ResourceDefinition;
  readonly version: ResourceVersionDefinition;
}

/** A part of a resource with a path and a store of its own: `namespaces/NAME/finalize`. */
export interface Subresource {
  /** `finalize`. */
  readonly name: string;
  /** Its definition names the resource that it belongs to, unless `of` does. */
  readonly store: ResourceStore;
  /** The resource that it belongs to, where it has objects of another kind: `serviceaccounts`, whose `token` takes TokenRequests. */
  readonly of?: GroupResource;
  readonly verbs: readonly Verb[];
}

/** A group with the names of its served versions, preferred first. `name` is '' for core. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** The installed resources: what routes, discovery and OpenAPI are made of. */
export class ResourceRegistry {
  readonly groups: readonly ServedGroup[];
  readonly resources: readonly ServedResource[];

  constructor(
    readonly stores: readonly ResourceStore[],
    readonly subresources: readonly Subresource[] = [],
  ) {
    this.resources = stores.flatMap((store) =>
      store.definition.versions.map((version) => ({ store, definition: store.definition, version })),
    );
    const versions = new Map<string, Set<string>>();
    for (const { definition, version } of this.resources) {
      const known = versions.get(definition.group) ?? new Set();
      versions.set(definition.group, known.add(version.name));
    }
    this.groups = [...versions].map(([name, names]) => ({ name, versions: [...names].sort(byVersionPriority) }));
  }

  /** What a group version serves; empty where it is not served. */
  inGroupVersion(group: string, version: string): ServedResource[] {
    return this.resources.filter((served) => served.definition.group === group && served.version.name === version);
  }

  /** The served form of a definition in a version. Throws where it was not installed: a fault of composition. */
  find(definition: ResourceDefinition, version: ResourceVersionDefinition): ServedResource {
    const served = this.#find(definition, version);
    if (!served) throw new Error(`${definition.resource} ${version.name} is not installed`);
    return served;
  }

  serves(definition: ResourceDefinition, version: ResourceVersionDefinition): boolean {
    return this.#find(definition, version) !== undefined;
  }

  /** The subresources of a resource. */
  subresourcesOf({ group, resource }: Pick<ResourceDefinition, 'group' | 'resource'>): Subresource[] {
    return this.subresources.filter(({ store, of = store.definition }) => of.group === group && of.resource === resource);
  }

  /** By name: what is installed may serve fewer versions than its definition has. */
  #find({ group, resource }: ResourceDefinition, version: ResourceVersionDefinition): ServedResource | undefined {
    return this.inGroupVersion(group, version.name).find(({ definition }) => definition.resource === resource);
  }
}

/** Injection token. */
export const RESOURCE_REGISTRY = Symbol('ResourceRegistry');

/** v1 before v1beta1 before v1alpha2 before v1alpha1 (apimachinery pkg/version CompareKubeAwareVersionStrings). */
export function byVersionPriority(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function parseVersion(version: string): { major: number; stability: number; minor: number } {
  // eslint-disable-next-line security/detect-unsafe-regex -- letters part the repetitions
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return { major: 0, stability: -1, minor: 0 };
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { major: Number(match[1]), stability, minor: Number(match[3] ?? 0) };
}
