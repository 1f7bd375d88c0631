import { createHash } from 'node:crypto';
import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import type { ResourceRegistry, ServedGroup, Subresource } from '../../registry/resource-registry.js';
import type { ResourceDefinition } from '../../registry/resource/resource-definition.js';

/** metav1.GroupVersionForDiscovery. */
interface GroupVersionEntry {
  readonly groupVersion: string;
  readonly version: string;
}

interface GroupEntry {
  readonly name: string;
  readonly versions: readonly GroupVersionEntry[];
  readonly preferredVersion: GroupVersionEntry | undefined;
}

/**
 * The unaggregated discovery documents (apiserver endpoints/discovery). Each is created once. Only served groups and versions may be
 * requested.
 */
export class DiscoveryDocuments {
  readonly #registry: ResourceRegistry;
  readonly #made = new Map<string, object>();

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
  }

  /** /api. It has no apiVersion. */
  apiVersions(serverAddress: string): object {
    return {
      kind: 'APIVersions',
      versions: this.#group('')?.versions ?? [],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
    };
  }

  /** /apis */
  groupList(): object {
    return this.#once('groups', () => ({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: this.#registry.groups.filter((group) => group.name !== '').map(groupEntry),
    }));
  }

  /** /apis/GROUP of a served group. */
  group(name: string): object {
    const group = this.#group(name);
    if (!group) throw new Error(`the group ${name} is not served`);
    return this.#once(`group ${name}`, () => ({ kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) }));
  }

  /** /apis/GROUP/VERSION and /api/VERSION, whose lists have no apiVersion. */
  resourceList(group: string, version: string): object {
    return this.#once(`resources ${groupVersion(group, version)}`, () => this.#makeResourceList(group, version));
  }

  #makeResourceList(group: string, version: string): object {
    const resources = this.#registry
      .inGroupVersion(group, version)
      .flatMap(({ definition }) => [
        resourceEntry(definition),
        ...this.#registry.subresourcesOf(definition).map((subresource) => subresourceEntry(definition, subresource)),
      ]);
    return {
      kind: 'APIResourceList',
      ...(group === '' ? {} : { apiVersion: 'v1' }),
      groupVersion: groupVersion(group, version),
      resources: resources.sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  }

  #once(name: string, make: () => object): object {
    const document = this.#made.get(name) ?? make();
    this.#made.set(name, document);
    return document;
  }

  #group(name: string): ServedGroup | undefined {
    return this.#registry.groups.find((group) => group.name === name);
  }
}

function groupEntry({ name, versions }: ServedGroup): GroupEntry {
  const entries = versions.map((version) => ({ groupVersion: groupVersion(name, version), version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function resourceEntry(definition: ResourceDefinition): { readonly name: string } {
  return {
    name: definition.resource,
    singularName: definition.singular,
    namespaced: definition.namespaced,
    kind: definition.kind,
    verbs: [...definition.verbs].sort(),
    ...omitEmpty({ shortNames: definition.shortNames, categories: definition.categories }),
    // Reviews are not stored.
    ...(definition.verbs.includes('get') ? { storageVersionHash: storageVersionHash(definition) } : {}),
  } as { readonly name: string };
}

function subresourceEntry(
  { resource, namespaced }: ResourceDefinition,
  { name, verbs, definition: own, of }: Subresource,
): { readonly name: string } {
  const { group, kind, storageVersion } = own;
  return {
    name: `${resource}/${name}`,
    singularName: '',
    namespaced,
    ...(of ? { group, version: storageVersion.name } : {}),
    kind,
    verbs: [...verbs].sort(),
  } as { readonly name: string };
}

/** Upstream's hash of the storage version (apiserver endpoints/discovery/storageversionhash.go). */
function storageVersionHash({ group, storageVersion, kind }: ResourceDefinition): string {
  return createHash('sha256')
    .update(`${storageVersion.group ?? group}/${storageVersion.name}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}

/** The document at /version (apimachinery pkg/version). */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** Injection token of the server's VersionInfo. */
export const VERSION_INFO = Symbol('VersionInfo');
