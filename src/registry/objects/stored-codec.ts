import { type JsonEncoder, compileEncoder } from '../../apimachinery/codec/json/json-encoder.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { Field, StructType } from '../../apimachinery/schema/struct-type.js';
import type { ObjectValue, StoredObject } from '../../storage/object-store.js';
import { fromHub, toHub } from './object-copy.js';
import { type ResourceDefinition, apiVersionOf } from '../resource/resource-definition.js';

/** Metadata that is not stored: the revision has a column of its own, and selfLink is obsolete. */
const NOT_STORED: ReadonlySet<string> = new Set(['resourceVersion', 'selfLink']);

/**
 * Converts between stored bytes and hub objects. Stored bytes are canonical JSON of the storage version, so equal objects have equal bytes.
 */
export class StoredCodec<T extends KubeObject> {
  readonly #definition: ResourceDefinition<T>;
  readonly #encode: JsonEncoder;
  readonly #apiVersion: string;

  constructor(definition: ResourceDefinition<T>) {
    this.#definition = definition;
    this.#encode = compileEncoder(storedSchema(definition.storageVersion.schema));
    this.#apiVersion = apiVersionOf(definition, definition.storageVersion);
  }

  /** Returns a new hub object. Its metadata.resourceVersion is the state's revision, or absent if that is 0. */
  decode(stored: StoredObject): T {
    const object = JSON.parse(stored.data) as KubeObject;
    if (stored.revision > 0) object.metadata.resourceVersion = String(stored.revision);
    return toHub<T>(this.#definition.storageVersion, object);
  }

  /** Turns a hub object that was just stored into what `decode` would return for it, without decoding. Changes its metadata in place. */
  asStored(hub: T, revision: number): T {
    const { metadata } = hub;
    metadata.resourceVersion = String(revision);
    if (metadata.selfLink !== undefined) delete metadata.selfLink;
    return hub;
  }

  encode(hub: T): ObjectValue {
    const object = fromHub(this.#definition.storageVersion, hub);
    return {
      uid: hub.metadata.uid ?? '',
      data: this.#encode({ ...object, kind: this.#definition.kind, apiVersion: this.#apiVersion }),
      terminating: hub.metadata.deletionTimestamp !== undefined,
    };
  }
}

function storedSchema(schema: StructType): StructType {
  const fields = schema.fields.map((field): Field => {
    const { name, type } = field;
    if (name !== 'metadata' || type.kind !== 'struct') return field;
    return { ...field, type: { ...type, fields: type.fields.filter((each) => !NOT_STORED.has(each.name)) } };
  });
  return { ...schema, fields };
}
