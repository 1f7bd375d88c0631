import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { storageResource } from './resource/resource-definition.js';
import type { ResourceStore } from './resource/resource-store.js';
import { type Declaration, type ServedVersion, ServesVersion } from './serves.js';

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
