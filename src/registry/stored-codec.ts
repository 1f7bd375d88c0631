import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { ObjectValue, StoredObject } from '../storage/object-store.js';
import { fromHub, toHub } from './object-copy.js';
import type { ResourceDefinition } from './resource-definition.js';
import { apiVersionOf } from './resource-definition.js';

/** Writes an object of one wire type as canonical JSON: equal objects give equal texts. */
export type ObjectEncoder = (object: KubeObject) => string;

/** Between stored bytes (JSON of the storage version, without resourceVersion) and hub objects. */
export class StoredCodec<T extends KubeObject> {
  readonly #definition: ResourceDefinition<T>;
  readonly #encode: ObjectEncoder;
  readonly #apiVersion: string;

  constructor(definition: ResourceDefinition<T>, encode: ObjectEncoder) {
    this.#definition = definition;
    this.#encode = encode;
    this.#apiVersion = apiVersionOf(definition, definition.storageVersion);
  }

  /** A fresh hub object; metadata.resourceVersion is the state's revision, absent where that is 0. */
  decode(stored: StoredObject): T {
    const object = JSON.parse(stored.data) as KubeObject;
    if (stored.revision > 0) object.metadata.resourceVersion = String(stored.revision);
    return toHub<T>(this.#definition.storageVersion, object);
  }

  encode(hub: T): ObjectValue {
    const object = fromHub(this.#definition.storageVersion, hub);
    const { resourceVersion: _version, selfLink: _link, ...metadata } = object.metadata;
    return {
      uid: hub.metadata.uid ?? '',
      data: this.#encode({ ...object, kind: this.#definition.kind, apiVersion: this.#apiVersion, metadata }),
      terminating: hub.metadata.deletionTimestamp !== undefined,
    };
  }
}
