import { Inject, Injectable } from '@nestjs/common';
import type { KubeObject } from '../apimachinery/meta/object-meta.schema.js';
import type { ObjectStore } from '../storage/object-store.js';
import type { CreatorTags } from '../storage/requester.js';
import type { Clock } from '../telemetry/clock.js';
import type { AdmissionChain } from './admission/admission.js';
import { type ResourceStoreOptions, GenericResourceStore } from './generic-resource-store.js';
import type { UserInfo } from './resource/request-context.js';
import type { ResourceDefinition } from './resource/resource-definition.js';
import type { RuntimeConfig } from './runtime-config.js';

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

/** Services shared by the stores of all resources. */
export class StoreServices {
  readonly #versions: RuntimeConfig;

  constructor(
    readonly objects: ObjectStore,
    readonly admission: AdmissionChain,
    versions: RuntimeConfig,
    readonly now: Clock,
    readonly creators: Pick<CreatorTags, 'newUid'>,
  ) {
    this.#versions = versions;
  }

  /** The parameters of a resource's store; its definition has the versions that are to be served. */
  storeOf<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceStoreOptions<T> {
    const { objects, admission, now, creators } = this;
    const newUid = (user: UserInfo): string => creators.newUid(user);
    return { definition: this.#versions.apply(definition), objects, admission, now, newUid };
  }
}
