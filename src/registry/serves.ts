import 'reflect-metadata';
import { type Type, Inject, Injectable } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService } from '@nestjs/core';
import type { KubeObject } from '../apimachinery/meta/object-meta.schema.js';
import { type ResourceDefinition, type ResourceVersionDefinition, type Verb, storageResource } from './resource/resource-definition.js';
import type { ResourceStore } from './resource/resource-store.js';

/** The class of a resource's store, which is also its injection token. */
export interface ResourceStoreClass<T extends KubeObject = KubeObject> {
  new (...services: never[]): ResourceStore<T>;
  readonly definition: ResourceDefinition<T>;
}

/** Like ResourceStoreClass, for objects of any type. */
interface SubresourceStoreClass {
  new (...services: never[]): object;
  readonly definition: Pick<ResourceDefinition, 'group' | 'resource'>;
}

/** `S` is the store's class while Nest reads the modules, and the store itself afterwards. */
interface Served<S> {
  readonly version: ResourceVersionDefinition;
  readonly store: S;
  readonly subresources: readonly ServedSubresource<S>[];
}

/** A subresource with its store: `namespaces/NAME/finalize`. Its objects may have another kind than those of the resource. */
export interface ServedSubresource<S> {
  /** Name of the subresource, such as `finalize`. */
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly store: S;
}

/** What a module declares. */
export type Declaration = Served<ResourceStoreClass>;

/** A declaration with the stores that Nest has created. */
type ServedVersion = Served<ResourceStore>;

/** Marks what `serves` returns, so that the registry finds it. */
const ServesVersion = DiscoveryService.createDecorator<Declaration>();

/**
 * The provider by which the module of a resource declares that it serves a version, its only one by default. Routes, discovery and OpenAPI
 * are built from these declarations; nothing else lists resources. The module must have the stores.
 */
export function serves<T extends KubeObject>(
  store: ResourceStoreClass<T>,
  version: ResourceVersionDefinition<T> = store.definition.storageVersion,
  subresources: readonly ServedSubresource<SubresourceStoreClass>[] = [],
): Type<ServedVersion> {
  const declaration = { store, version, subresources } as unknown as Declaration;

  @Injectable()
  @ServesVersion(declaration)
  class Provided implements ServedVersion {
    readonly version = declaration.version;
    readonly store: ResourceStore;
    readonly subresources: ServedVersion['subresources'];

    constructor(...[own, ...below]: ResourceStore[]) {
      this.store = own as ResourceStore;
      this.subresources = declaration.subresources.map((each, at) => ({ ...each, store: below[at] as ResourceStore }));
    }
  }
  const tokens = [declaration.store, ...declaration.subresources.map((each) => each.store)];
  tokens.forEach((token, at) => Inject(token)(Provided, undefined, at));
  return Provided;
}

/** What the modules below a module declare, before Nest assembles them. Afterwards ServedVersions has the same, in order. */
export function declarationsBelow(root: Type): Declaration[] {
  const seen = new Set<object>();
  const visit = (module: object): Declaration[] => {
    if (seen.has(module)) return [];
    seen.add(module);
    const own = metadata(MODULE_METADATA.PROVIDERS, module).flatMap((provider) => metadata(ServesVersion.KEY, provider) as Declaration[]);
    return [...own, ...metadata(MODULE_METADATA.IMPORTS, module).flatMap(visit)];
  };
  return visit(root);
}

function metadata(key: string, of: object): object[] {
  return [(Reflect.getMetadata(key, of) ?? []) as object | object[]].flat();
}

/** What the modules of resources declare, in import order, which is discovery order. */
@Injectable()
export class ServedVersions {
  constructor(private readonly discovery: DiscoveryService) {}

  /** Available once Nest has read the modules. */
  get declarations(): readonly Declaration[] {
    return this.#providers().map((provider) => this.discovery.getMetadataByDecorator(ServesVersion, provider) as Declaration);
  }

  /** The declarations with their stores; available once Nest has created all providers. */
  get served(): readonly ServedVersion[] {
    return this.#providers().map(({ instance }) => instance as ServedVersion);
  }

  /** The stores of all resources, each once, whether or not a version of them is served. Available once Nest has created all providers. */
  get stored(): readonly ResourceStore[] {
    const stores = new Map<string, ResourceStore>();
    for (const { store } of this.served) {
      if (!store.definition.verbs.includes('list')) continue;
      const place = storageResource(store.definition);
      if (!stores.has(place)) stores.set(place, store);
    }
    return [...stores.values()];
  }

  /** In module order, which Nest's own search by metadata does not preserve. */
  #providers() {
    const marked = new Set(this.discovery.getProviders({ metadataKey: ServesVersion.KEY }).map(({ id }) => id));
    return this.discovery.getProviders().filter(({ id }) => marked.has(id));
  }
}
