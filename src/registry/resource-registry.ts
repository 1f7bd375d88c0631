import type { GroupResource } from '../apimachinery/schema/group-resource.js';
import type { ResourceDefinition, ResourceVersionDefinition, Verb } from './resource/resource-definition.js';
import type { RuntimeConfig } from './runtime-config.js';
import type { Declaration } from './serves.js';

/** A resource in one of its served versions. */
export interface ServedResource {
  readonly definition: ResourceDefinition;
  readonly version: ResourceVersionDefinition;
}

/** A part of a resource with its own path: `namespaces/NAME/finalize`. */
export interface Subresource {
  /** Name of the subresource, such as `finalize`. */
  readonly name: string;
  /** The definition of its objects. Names the parent resource, unless `of` does. */
  readonly definition: ResourceDefinition;
  /** The parent resource, if its objects have another kind: `serviceaccounts`, whose `token` accepts TokenRequests. */
  readonly of?: GroupResource;
  readonly verbs: readonly Verb[];
}

/** A group with the names of its served versions, preferred first. `name` is '' for core. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** The installed resources, from which routes, discovery and OpenAPI are built. */
export class ResourceRegistry {
  readonly groups: readonly ServedGroup[];
  readonly resources: readonly ServedResource[];

  constructor(
    /** In discovery order, with the versions that are served. */
    readonly definitions: readonly ResourceDefinition[],
    readonly subresources: readonly Subresource[] = [],
  ) {
    this.resources = definitions.flatMap((definition) => definition.versions.map((version) => ({ definition, version })));
    const versions = new Map<string, Set<string>>();
    for (const { definition, version } of this.resources) {
      const known = versions.get(definition.group) ?? new Set();
      versions.set(definition.group, known.add(version.name));
    }
    this.groups = [...versions].map(([name, names]) => ({ name, versions: [...names].sort(byVersionPriority) }));
  }

  /**
   * Builds the registry from the declarations of modules, in their order. Throws StartError for entries of --runtime-config
   * that match none of them, and an Error for a version that should be served but that no module declares, which is a wiring fault.
   */
  static of(declarations: readonly Declaration[], versions: RuntimeConfig): ResourceRegistry {
    const definitions = new Map(declarations.map(({ store }) => [store, servedDefinition(store.definition, versions)]));
    versions.refuseUnknown();
    for (const [store, definition] of definitions) {
      const declared = declarations.filter((each) => each.store === store).map(({ version }) => version.name);
      const missing = definition.versions.find(({ name }) => !declared.includes(name));
      if (missing) throw new Error(`no module serves ${definition.resource} in version ${missing.name}`);
    }
    const subresources = declarations.flatMap((declaration) => declaration.subresources.map((each) => subresource(declaration, each)));
    return new ResourceRegistry([...definitions.values()], subresources);
  }

  /** What a group version serves; empty if it is not served. */
  inGroupVersion(group: string, version: string): ServedResource[] {
    return this.resources.filter((served) => served.definition.group === group && served.version.name === version);
  }

  /** Compares by name: the registry's definitions have only the served versions, others may have more. */
  serves({ group, resource }: ResourceDefinition, version: ResourceVersionDefinition): boolean {
    return this.inGroupVersion(group, version.name).some(({ definition }) => definition.resource === resource);
  }

  subresourcesOf({ group, resource }: Pick<ResourceDefinition, 'group' | 'resource'>): Subresource[] {
    return this.subresources.filter(({ definition, of = definition }) => of.group === group && of.resource === resource);
  }
}

/** Reviews cannot be disabled. */
function servedDefinition(definition: ResourceDefinition, versions: RuntimeConfig): ResourceDefinition {
  return definition.verbs.includes('list') ? versions.apply(definition) : definition;
}

function subresource(
  { store: { definition: parent } }: Declaration,
  { name, verbs, store }: Declaration['subresources'][number],
): Subresource {
  const { definition } = store;
  const isSameResource = definition.group === parent.group && definition.resource === parent.resource;
  return { name, verbs, definition, ...(isSameResource ? {} : { of: parent }) };
}

/** v1 before v1beta1 before v1alpha2 before v1alpha1 (apimachinery pkg/version CompareKubeAwareVersionStrings). */
function byVersionPriority(a: string, b: string): number {
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
