import { type JsonEncoder, compileEncoder } from '../../apimachinery/codec/json/json-encoder.js';
import { equalValues } from '../../apimachinery/managedfields/fieldpath/path-element.js';
import type { KubeObject, ManagedFieldsEntry } from '../../apimachinery/meta/object-meta.schema.js';
import type { Field, StructType } from '../../apimachinery/schema/struct-type.js';
import type { ObjectValue, StoredObject } from '../../storage/object-store.js';
import { type ResourceDefinition, type ResourceVersionDefinition, apiVersionOf } from '../resource/resource-definition.js';

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

/**
 * Returns what an update would store, or undefined if nothing would change; the update is then not written. A write that would change only
 * timestamps in managedFields counts as no change (apimachinery pkg/util/managedfields, IgnoreManagedFieldsTimestampsTransformer).
 */
export function changedValue<T extends KubeObject>(
  codec: StoredCodec<T>,
  next: T,
  live: T,
  current: StoredObject,
): ObjectValue | undefined {
  const value = codec.encode(next);
  if (value.data === current.data) return undefined;
  const stored = live.metadata.managedFields;
  if (!stored || !contentMayBeEqual(next, live)) return value;
  if (!equalButForTimes(next.metadata.managedFields, stored)) return value;
  const untouched = codec.encode({ ...next, metadata: { ...next.metadata, managedFields: stored } });
  return untouched.data === current.data ? undefined : value;
}

/** Cheap test for the hot path: a renewal changes the spec, which shows without comparing metadata. */
function contentMayBeEqual(next: KubeObject, live: KubeObject): boolean {
  const left = next as unknown as Record<string, unknown>;
  const right = live as unknown as Record<string, unknown>;
  for (const key in left) if (!TYPE_AND_METADATA.has(key) && !mayBeEqual(left[key], right[key])) return false;
  for (const key in right) if (!Object.hasOwn(left, key) && !isEmpty(right[key])) return false;
  return true;
}

const TYPE_AND_METADATA: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);

function equalButForTimes(next: readonly ManagedFieldsEntry[] | undefined, stored: readonly ManagedFieldsEntry[]): boolean {
  if (next?.length !== stored.length) return false;
  return equalValues(next.map(withoutTime), stored.map(withoutTime));
}

function withoutTime({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry {
  return entry;
}

/** False only if the encodings certainly differ; the encoder may omit empty values. */
function mayBeEqual(a: unknown, b: unknown): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key in left) if (!mayBeEqual(left[key], right[key])) return false;
  for (const key in right) if (!Object.hasOwn(left, key) && !isEmpty(right[key])) return false;
  return true;
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null || !value;
  return Object.values(value).every(isEmpty);
}

/** Copies the object and its metadata; deeper values are shared and must be replaced, never changed in place. */
export function ownCopy<O extends KubeObject>(object: O): O {
  return { ...object, metadata: { ...object.metadata } };
}

/** Copies the object and its metadata without managedFields; deeper values are shared. */
export function withoutManagedFields<O extends KubeObject>(object: O): O {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Converts an object from a version's shape to the hub type. The result may share parts with its argument. */
export function toHub<T extends KubeObject>(version: ResourceVersionDefinition, object: KubeObject): T {
  return (version.toHub ? version.toHub(object) : object) as T;
}

/** Converts a hub object to a version's shape. The result may share parts with its argument. */
export function fromHub(version: ResourceVersionDefinition, hub: KubeObject): KubeObject {
  return version.fromHub ? version.fromHub(hub) : hub;
}

type Labels = Readonly<Record<string, string>>;

const NONE: Labels = {};
/** A shorter text is searched for labels again rather than remembered to have none. */
const SHORT = 4096;
const known = new WeakMap<StoredObject, Labels>();

/**
 * The labels of a stored state, parsed once per state. Stored JSON is canonical, so an object without the text `"labels":{` has none;
 * inside a string its quotes would be escaped.
 */
export function storedLabels(object: StoredObject): Labels {
  let labels = known.get(object);
  if (labels === undefined) {
    labels = object.data.includes('"labels":{') ? ((JSON.parse(object.data) as KubeObject).metadata.labels ?? NONE) : NONE;
    if (labels !== NONE || object.data.length >= SHORT) known.set(object, labels);
  }
  return labels;
}
