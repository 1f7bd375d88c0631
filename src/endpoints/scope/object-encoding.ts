import { compileEncoder, spliceResourceVersion, storedListItem } from '../../apimachinery/codec/json/json-encoder.js';
import type { EncodeOptions, Encoded, ItemRun, Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import type { ResourceDefinition, ResourceVersionDefinition } from '../../registry/resource/resource-definition.js';
import type { UpdateResult } from '../../registry/resource/resource-store.js';
import type { StoredObject } from '../../storage/object-store.js';

/** The state to encode. */
export type ShownState = Pick<UpdateResult, 'object' | 'hub'>;

type Form = 'item' | 'event';
type Memo = WeakMap<StoredObject, Encoded>;

/**
 * Encodes stored states in one version of the API. JSON of the storage version is spliced from the stored text without parsing it. Every
 * other encoding is created once per state and cached as long as the state is in memory (upstream: cacher/caching_object.go).
 */
export class ObjectEncoding {
  readonly #definition: ResourceDefinition;
  readonly #version: ResourceVersionDefinition;
  readonly #apiVersion: string;
  readonly #asStored: boolean;
  readonly #encoded = new Map<string, Memo>();
  readonly #runs = new Map<Serializer, ItemRunCache>();

  constructor(definition: ResourceDefinition, version: ResourceVersionDefinition) {
    this.#definition = definition;
    this.#version = version;
    this.#apiVersion = groupVersion(definition.group, version.name);
    this.#asStored = definition.storageVersion === version;
  }

  /** A new hub object, for Table columns and conversions. */
  hub(stored: StoredObject): KubeObject {
    const object = JSON.parse(this.#json(stored)) as KubeObject;
    return this.#definition.storageVersion.toHub?.(object) ?? object;
  }

  /** The object in this version's shape. */
  versioned(stored: StoredObject, hub = this.hub(stored)): KubeObject {
    const object = this.#version.fromHub?.(hub) ?? hub;
    return { ...object, kind: this.#definition.kind, apiVersion: this.#apiVersion };
  }

  /** The body of a response with one object. */
  object({ object, hub }: ShownState, serializer: Serializer, options?: EncodeOptions): Encoded {
    if (this.#splices(serializer) && !options?.pretty) return `${this.#json(object)}\n`;
    return serializer.encodeObject(this.#version.schema, this.versioned(object, hub), options);
  }

  /** The objects as list items, without kind and apiVersion. Forms that only people read are not cached. */
  items(objects: readonly StoredObject[], serializer: Serializer, options?: EncodeOptions): Generator<ItemRun, undefined> {
    const encode = (states: readonly StoredObject[]) => serializer.joinItems(this.#encodeItems(states, serializer), options);
    if (options?.pretty || !isForPrograms(serializer)) return inRuns(objects, encode);
    const runs = this.#runs.get(serializer) ?? new ItemRunCache(encode);
    this.#runs.set(serializer, runs);
    return runs.of(objects);
  }

  /** The object as part of a watch event. */
  eventObject(stored: StoredObject, serializer: Serializer): Encoded {
    if (this.#splices(serializer)) return this.#json(stored);
    const memo = this.#memo('event', serializer);
    return memo.get(stored) ?? remember(memo, stored, serializer.encodeEventObject(this.#version.schema, this.versioned(stored)));
  }

  /** The object of a bookmark, which only has a resourceVersion. */
  bookmark(revision: number, annotations: Record<string, string> | undefined): KubeObject {
    return {
      kind: this.#definition.kind,
      apiVersion: this.#apiVersion,
      metadata: { resourceVersion: String(revision), ...(annotations ? { annotations } : {}) },
    };
  }

  /** A bookmark as an object in a row of a Table: with the fields that are always present. */
  bookmarkInRow(bookmark: KubeObject): KubeObject {
    return JSON.parse(compileEncoder(this.#version.schema)(bookmark)) as KubeObject;
  }

  encodeBookmark(bookmark: KubeObject, serializer: Serializer): Encoded {
    return serializer.encodeEventObject(this.#version.schema, bookmark);
  }

  #encodeItems(states: readonly StoredObject[], serializer: Serializer): Encoded[] {
    if (this.#splices(serializer)) return states.map(({ data, revision }) => storedListItem(data, revision));
    if (!isForPrograms(serializer)) return states.map((stored) => this.#encodeItem(stored, serializer));
    const memo = this.#memo('item', serializer);
    return states.map((stored) => memo.get(stored) ?? remember(memo, stored, this.#encodeItem(stored, serializer)));
  }

  #encodeItem(stored: StoredObject, serializer: Serializer): Encoded {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = this.versioned(stored);
    return serializer.encodeItem(this.#version.schema, rest);
  }

  #splices(serializer: Serializer): boolean {
    return this.#asStored && serializer.mediaType === 'application/json';
  }

  #json(stored: StoredObject): string {
    return stored.revision > 0 ? spliceResourceVersion(stored.data, stored.revision) : stored.data;
  }

  #memo(form: Form, serializer: Serializer): Memo {
    const key = `${form} ${serializer.mediaType}`;
    const memo = this.#encoded.get(key) ?? new WeakMap<StoredObject, Encoded>();
    this.#encoded.set(key, memo);
    return memo;
  }
}

/** Programs watch and list in the media types that have a stream form. */
function isForPrograms({ watchMediaType }: Serializer): boolean {
  return watchMediaType !== undefined;
}

function remember(memo: Memo, stored: StoredObject, encoded: Encoded): Encoded {
  memo.set(stored, encoded);
  return encoded;
}

/** Maximum length of the stored text in a run of several objects. */
const MAX_RUN_TEXT = 64 * 1024;

export type EncodeRun = (states: readonly StoredObject[]) => ItemRun;

/** Splits a list into runs, consecutive items that are encoded as one piece, without caching them. */
export function* inRuns(objects: readonly StoredObject[], encode: EncodeRun): Generator<ItemRun, undefined> {
  for (let at = 0; at < objects.length;) {
    const end = runEnd(objects, at);
    yield encode(objects.slice(at, end));
    at = end;
  }
}

/** A cached run: consecutive states and their encoding. */
interface KnownRun {
  readonly states: readonly StoredObject[];
  readonly encoded: ItemRun;
}

/**
 * Splits lists into runs of about 16 items and caches the encoding of each run, so that a change since the last list costs the encoding
 * of one run. Runs begin at certain uids, so that different lists and pages share them. A run is cached as long as its first state is in
 * memory, and can keep replaced states alive until then, at most one for each object.
 */
export class ItemRunCache {
  readonly #encode: EncodeRun;
  readonly #known = new WeakMap<StoredObject, KnownRun>();

  constructor(encode: EncodeRun) {
    this.#encode = encode;
  }

  *of(objects: readonly StoredObject[]): Generator<ItemRun, undefined> {
    for (let at = 0; at < objects.length;) {
      const { states, encoded } = this.#runAt(objects, at);
      yield encoded;
      at += states.length;
    }
  }

  #runAt(objects: readonly StoredObject[], at: number): KnownRun {
    const first = objects[at] as StoredObject;
    const known = this.#known.get(first);
    if (known && standsAt(known.states, objects, at)) return known;
    const states = objects.slice(at, runEnd(objects, at));
    const run = { states, encoded: this.#encode(states) };
    this.#known.set(first, run);
    return run;
  }
}

function standsAt(states: readonly StoredObject[], objects: readonly StoredObject[], at: number): boolean {
  for (let i = 0; i < states.length; i++) if (states[i] !== objects[at + i]) return false;
  return true;
}

function runEnd(objects: readonly StoredObject[], start: number): number {
  let text = 0;
  for (let at = start; at < objects.length; at++) {
    const { uid, data } = objects[at] as StoredObject;
    text += data.length;
    // The last digit of a random uid starts a run at one object in sixteen.
    if (at > start && (uid.endsWith('0') || text > MAX_RUN_TEXT)) return at;
  }
  return objects.length;
}
