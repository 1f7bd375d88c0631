import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { ObjectStore } from '../storage/object-store.js';
import type { Clock } from '../telemetry/clock.js';
import type { AdmissionChain } from './admission/admission.js';
import type { ResourceStoreOptions } from './generic-resource-store.js';
import type { ResourceDefinition } from './resource/resource-definition.js';
import type { RuntimeConfig } from './runtime-config.js';

/** What the stores of all resources share. */
export class StoreServices {
  readonly #versions: RuntimeConfig;

  constructor(
    readonly objects: ObjectStore,
    readonly admission: AdmissionChain,
    versions: RuntimeConfig,
    readonly now: Clock,
  ) {
    this.#versions = versions;
  }

  /** What the store of a resource is made with; its definition has the versions that are to be served. */
  storeOf<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceStoreOptions<T> {
    const { objects, admission, now } = this;
    return { definition: this.#versions.apply(definition), objects, admission, now };
  }
}
