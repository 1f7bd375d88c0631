import { DecodeError } from '../../errors/api-error.js';
import type { DeleteOptionsBody } from '../../meta/delete-options.schema.js';
import type { KubeObject, ListMeta } from '../../meta/object-meta.schema.js';
import type { Status } from '../../meta/status.schema.js';
import type { StructType } from '../../schema/struct-type.js';

/** Encoded bytes: text for JSON and YAML, bytes for protobuf and CBOR. Immutable, so they may be shared. */
export type Encoded = string | Buffer;

/** The fieldValidation parameter. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The object that an endpoint expects in request bodies. */
export interface ExpectedObject {
  readonly group: string;
  /** The group of the internal type, if it differs. */
  readonly hubGroup?: string | undefined;
  readonly version: string;
  readonly kind: string;
  /** `kind` and `apiVersion` are its first two fields. */
  readonly schema: StructType;
  /** The other kinds of the server: the error text for a wrong kind depends on whether it is known. */
  readonly kinds: KindRegistry;
}

/** The result of decoding a request body. */
export interface DecodedObject {
  /** Canonical: absent fields are absent, times are canonical text, `kind` and `apiVersion` are always set. */
  readonly object: KubeObject;
  /** Texts for Warning headers, in order; only with `Warn`. */
  readonly warnings: readonly string[];
}

/** Options of encoding an object or list; `pretty` is the query parameter of that name. */
export interface EncodeOptions {
  /** Indentation by two spaces; JSON only. */
  readonly pretty?: boolean;
}

/** Everything in a list except its items. */
export interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
}

/** Everything in a Table except its rows. */
export interface TableHead extends ListHead {
  readonly columnDefinitions?: readonly object[];
}

/** Consecutive encoded items of a list. */
export interface ItemRun {
  readonly items: number;
  readonly bytes: Buffer;
}

/** The types of watch events (apimachinery pkg/watch). */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** Reads and writes API objects in one media type (upstream: runtime.SerializerInfo). Stateless. */
export interface Serializer {
  /** `application/json`; also the Content-Type of responses. */
  readonly mediaType: string;
  /** Content-Type of watch streams; absent if the media type has none (YAML). */
  readonly watchMediaType?: string;
  /** Whether Tables can be encoded; protobuf cannot. */
  readonly encodesTables: boolean;

  /** Decodes a POST or PUT body. Throws a 400 ApiError with upstream's text; with `Strict`, also for unknown and duplicate fields. */
  decodeObject(body: Buffer, expected: ExpectedObject, validation: FieldValidation): DecodedObject;

  /** Decodes the body of a DELETE, which is not validated for unknown fields. Throws a 400 ApiError. The body is not empty. */
  decodeDeleteOptions(body: Buffer): DeleteOptionsBody;

  /** A complete response, including the final newline, envelope or tag. */
  encodeObject(schema: StructType, object: object, options?: EncodeOptions): Encoded;

  /** Like `encodeObject`, for the Status of errors and deletions. */
  encodeStatus(status: Status, options?: EncodeOptions): Encoded;

  /**
   * Encodes an object as an item of a list, with all of its fields: the caller removes kind and apiVersion for ordinary lists. (JSON items
   * may also come from stored bytes, see json-encoder.ts.)
   */
  encodeItem(schema: StructType, object: object): Encoded;

  /** Joins results of `encodeItem` to a run, which all lists with the same options that contain these items in this order can share. */
  joinItems(items: readonly Encoded[], options?: EncodeOptions): ItemRun;

  /** A complete list response. */
  encodeList(head: ListHead, runs: readonly ItemRun[], options?: EncodeOptions): EncodedList;

  /** Like `encodeList`, for a Table; its rows are the items. */
  encodeTable(head: TableHead, rows: readonly ItemRun[], options?: EncodeOptions): EncodedList;

  /** Encodes an object for watch events, once for all watchers. */
  encodeEventObject(schema: StructType, object: object): Encoded;

  /** One frame of a watch stream around a result of `encodeEventObject`. `framed` false: without a length prefix (WebSocket messages). */
  encodeWatchEvent(type: WatchEventType, object: Encoded, framed?: boolean): Encoded;
}

/** The existing kinds, beyond the one that an endpoint expects (upstream: runtime.Scheme). */
export interface KindRegistry {
  isRegistered(group: string, version: string, kind: string): boolean;
  /** Whether upstream's internal version of a group has the kind, as it does if any version has it. */
  isInternal(group: string, kind: string): boolean;
}

/** Injection token of the KindRegistry. */
export const KIND_REGISTRY = Symbol('KindRegistry');

/** The name of upstream's scheme in error texts. */
export const SCHEME_NAME = 'pkg/runtime/scheme.go:111';

/** Kinds that upstream registers in every group version (apimachinery pkg/apis/meta/v1/register.go). */
const META_KINDS = ['WatchEvent', 'ListOptions', 'GetOptions', 'DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'];

/** A registry of the given kinds and their Lists, keyed by `group/version` (or `version` for core). */
export function kindRegistry(kinds: Readonly<Record<string, readonly string[]>>): KindRegistry {
  const known = new Set<string>();
  const internal = new Set<string>();
  for (const [groupVersion, names] of Object.entries(kinds)) {
    const group = groupVersion.includes('/') ? groupVersion.slice(0, groupVersion.indexOf('/')) : '';
    for (const name of names.flatMap((each) => [each, `${each}List`])) {
      known.add(`${groupVersion} ${name}`);
      internal.add(`${group} ${name}`);
    }
    for (const name of META_KINDS) known.add(`${groupVersion} ${name}`);
  }
  return {
    isRegistered: (group, version, kind) => known.has(`${group === '' ? '' : `${group}/`}${version} ${kind}`),
    isInternal: (group, kind) => internal.has(`${group} ${kind}`),
  };
}

/** The type of an object. An empty group is the core group; an empty version or kind means that the sender omitted it. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Splits `group/version` or `version`. Throws for more than one slash (apimachinery pkg/runtime/schema/group_version.go). */
export function parseGroupVersion(text: string): { group: string; version: string } {
  const slash = text.indexOf('/');
  if (slash < 0) return { group: '', version: text };
  if (text.includes('/', slash + 1)) throw new DecodeError(`unexpected GroupVersion string: ${text}`);
  return { group: text.slice(0, slash), version: text.slice(slash + 1) };
}

/** Fills in the parts that the sender omitted (apimachinery pkg/runtime/serializer/json/json.go, gvkWithDefaults). */
export function withDefaults(actual: GroupVersionKind, defaults: GroupVersionKind): GroupVersionKind {
  const kind = actual.kind === '' ? defaults.kind : actual.kind;
  if (actual.version !== '') return { group: actual.group, version: actual.version, kind };
  const ours = actual.group === '' || actual.group === defaults.group;
  return ours ? { group: defaults.group, version: defaults.version, kind } : { ...actual, kind };
}

/** Go's name of the internal type of a kind, which some errors show: `coordination.Lease`, `core.Event`. */
export function internalTypeName(group: string, kind: string): string {
  return `${group.split('.')[0] || 'core'}.${kind}`;
}

/** Size of the chunks in which long lists are sent. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The bytes of a list, in pieces that are shared with other lists. A long list is never in memory as a whole: `chunks` joins the pieces
 * while they are sent. Measured with lists of 3 MB, half of the server's time went into full garbage collections, which V8 runs after some
 * tens of MB have been allocated outside its heap.
 */
export class EncodedList {
  /** In bytes. */
  readonly length: number;
  readonly #pieces: readonly Buffer[];

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  get isLong(): boolean {
    return this.length > CHUNK_BYTES;
  }

  /** The complete list. */
  bytes(): Buffer {
    return Buffer.concat(this.#pieces, this.length);
  }

  toString(): string {
    return this.bytes().toString();
  }

  /**
   * Yields the bytes in order; the last chunk is the return value. All chunks share one buffer, so each is valid only until the next call.
   */
  *chunks(): Generator<Buffer, Buffer> {
    const memory = Buffer.allocUnsafeSlow(Math.min(this.length, CHUNK_BYTES));
    let filled = 0;
    for (const piece of this.#pieces) {
      let taken = 0;
      // The last piece in a chunk may continue in the next one.
      while (piece.length - taken > memory.length - filled) {
        taken += piece.copy(memory, filled, taken);
        yield memory;
        filled = 0;
      }
      memory.set(taken === 0 ? piece : piece.subarray(taken), filled);
      filled += piece.length - taken;
    }
    return memory.subarray(0, filled);
  }
}
