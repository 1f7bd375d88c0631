import { Inject, Injectable } from '@nestjs/common';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import { type ObjectStore, OBJECT_STORE } from '../storage/object-store.js';
import { type Clock, CLOCK } from '../telemetry/clock.js';
import { AdmissionChain } from './admission/admission.js';
import type { ResourceStoreOptions } from './generic-resource-store.js';
import type { ResourceDefinition } from './resource/resource-definition.js';
import { RuntimeConfig } from './runtime-config.js';

/** Services shared by the stores of all resources. */
@Injectable()
export class StoreServices {
  constructor(
    @Inject(OBJECT_STORE) readonly objects: ObjectStore,
    readonly admission: AdmissionChain,
    private readonly versions: RuntimeConfig,
    @Inject(CLOCK) readonly now: Clock,
  ) {}

  /** The parameters of a resource's store; its definition has the versions that are to be served. */
  storeOf<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceStoreOptions<T> {
    const { objects, admission, now } = this;
    return { definition: this.versions.apply(definition), objects, admission, now };
  }
}
