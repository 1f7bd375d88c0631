import { Inject, Injectable } from '@nestjs/common';
import type { KubeObject } from '../apimachinery/meta/object-meta.schema.js';
import { GenericResourceStore } from './generic-resource-store.js';
import type { ResourceDefinition } from './resource/resource-definition.js';
import { StoreServices } from './store-services.js';

/** The class of a resource's store, for a resource that needs nothing beside its definition. A class that extends it is its injection token. */
export function storeOf<T extends KubeObject>(definition: ResourceDefinition<T>) {
  @Injectable()
  class Store extends GenericResourceStore<T> {
    static readonly definition = definition;

    constructor(@Inject(StoreServices) services: StoreServices) {
      super(services.storeOf(definition));
    }
  }
  return Store;
}
