import type { KubeObject } from '../apimachinery/meta/object-meta.schema.js';
import type { CreatorTags } from '../storage/requester.js';
import type { ObjectStore } from '../storage/object-store.js';
import type { Clock } from '../telemetry/clock.js';
import type { AdmissionChain } from './admission/admission.js';
import type { ResourceStoreOptions } from './generic-resource-store.js';
import type { UserInfo } from './resource/request-context.js';
import type { ResourceDefinition } from './resource/resource-definition.js';
import type { RuntimeConfig } from './runtime-config.js';

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
