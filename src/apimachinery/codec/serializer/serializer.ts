import type { KubeObject } from '../../meta/kube-object.js';
import type { ListMeta } from '../../meta/list-meta.schema.js';
import type { DeleteOptionsBody } from '../../meta/delete-options.schema.js';
import type { Status } from '../../meta/status.schema.js';
import type { StructType } from '../../schema/struct-type.js';
import type { EncodedList } from './encoded-list.js';
import type { KindRegistry } from './kind-registry.js';

/** Encoded bytes: text for JSON and YAML, bytes for protobuf and CBOR. Never changed once made, so it may be shared. */
export type Encoded = string | Buffer;

/** The fieldValidation directive. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The object that an endpoint takes in its request bodies. */
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

/** How an object or list is encoded; `pretty` comes from the query parameter of that name. */
export interface EncodeOptions {
  /** Two-space indentation; only JSON has it. */
  readonly pretty?: boolean;
}

/** Everything of a list but its items. */
export interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
}

/** Everything of a Table but its rows. */
export interface TableHead extends ListHead {
  readonly columnDefinitions?: readonly object[];
}

/** Consecutive encoded items of a list. */
export interface ItemRun {
  /** How many. */
  readonly items: number;
  readonly bytes: Buffer;
}

/** The types of watch events (apimachinery pkg/watch). */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One media type's way to read and write API objects (upstream: runtime.SerializerInfo). Stateless. */
export interface Serializer {
  /** `application/json`; also the Content-Type of answers. */
  readonly mediaType: string;
  /** Content-Type of watch answers; absent where there is no such stream (YAML). */
  readonly watchMediaType?: string;
  /** Whether Table answers exist in it (protobuf has no form for them). */
  readonly encodesTables: boolean;

  /** Decodes a POST or PUT body. Throws a 400 ApiError in upstream's words; with `Strict` also for unknown and duplicate fields. */
  decodeObject(body: Buffer, expected: ExpectedObject, validation: FieldValidation): DecodedObject;

  /** Decodes the body of a DELETE, which is not validated for unknown fields. Throws a 400 ApiError. The body is not empty. */
  decodeDeleteOptions(body: Buffer): DeleteOptionsBody;

  /** A complete answer: final newline, envelope or tag included. */
  encodeObject(schema: StructType, object: object, options?: EncodeOptions): Encoded;

  /** As `encodeObject`, for the Status of errors and deletions. */
  encodeStatus(status: Status, options?: EncodeOptions): Encoded;

  /**
   * An object as an item of a list. All its fields are written: the caller removes kind and apiVersion for ordinary lists.
   * (JSON items may also come from stored bytes, see stored-json.ts.)
   */
  encodeItem(schema: StructType, object: object): Encoded;

  /** Results of `encodeItem` joined into a run, which can be shared by all lists with the same options that contain these items in this order. */
  joinItems(items: readonly Encoded[], options?: EncodeOptions): ItemRun;

  /** A complete list answer. */
  encodeList(head: ListHead, runs: readonly ItemRun[], options?: EncodeOptions): EncodedList;

  /** The same of a Table; its rows are the items. */
  encodeTable(head: TableHead, rows: readonly ItemRun[], options?: EncodeOptions): EncodedList;

  /** An object inside a watch event, encoded once and shared by all watchers. */
  encodeEventObject(schema: StructType, object: object): Encoded;

  /** One frame of a watch stream around a result of `encodeEventObject`. `framed` false: without length prefix (WebSocket messages). */
  encodeWatchEvent(type: WatchEventType, object: Encoded, framed?: boolean): Encoded;
}
