import { type Type, Inject, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { KubeObject } from '../apimachinery/meta/object-meta.schema.js';
import type { ResourceDefinition, ResourceVersionDefinition, Verb } from './resource/resource-definition.js';
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
export type ServedVersion = Served<ResourceStore>;

/** Marks what `serves` returns, so that the registry finds it. */
export const ServesVersion = DiscoveryService.createDecorator<Declaration>();

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
