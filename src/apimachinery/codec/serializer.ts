import type { KubeObject } from '../meta/kube-object.js';
import type { ListMeta } from '../meta/kube-object.js';
import type { DeleteOptionsBody } from '../meta/options/delete-options-body.js';
import type { Status } from '../meta/status.js';
import type { StructType } from '../schema/struct-type.js';
import type { EncodedList } from './encoded-list.js';
import type { KindRegistry } from './kind-registry.js';

/** Encoded bytes: text for JSON and YAML, bytes for protobuf and CBOR. Never changed once made, so it may be shared. */
export type Encoded = string | Buffer;

/** The fieldValidation directive. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The object that an endpoint takes in its request bodies. */
export interface ExpectedObject {
  readonly group: string;
  /** That of the internal type, where it is another. */
  readonly hubGroup?: string | undefined;
  readonly version: string;
  readonly kind: string;
  /** `kind` and `apiVersion` are its first two fields. */
  readonly schema: StructType;
  /** What other kinds the server knows: decides between the error texts for a wrong kind. */
  readonly kinds: KindRegistry;
}

export interface DecodedObject {
  /** Canonical: absent fields are absent, times are canonical text, `kind` and `apiVersion` are always set. */
  readonly object: KubeObject;
  /** Texts for Warning headers, in order; only with `Warn`. */
  readonly warnings: readonly string[];
}

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

/** Items as they stand one after another in a list. */
export interface ItemRun {
  /** How many. */
  readonly items: number;
  readonly bytes: Buffer;
}

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
   * An object as a list's item. What the object holds is written: items of ordinary lists must come without kind and apiVersion.
   * (JSON items may also come from stored bytes, see stored-json.ts.)
   */
  encodeItem(schema: StructType, object: object): Encoded;

  /** What `encodeItem` made, as a part of lists that are encoded with the same options: of all that have these items in this order. */
  joinItems(items: readonly Encoded[], options?: EncodeOptions): ItemRun;

  /** A complete list answer. */
  encodeList(head: ListHead, runs: readonly ItemRun[], options?: EncodeOptions): EncodedList;

  /** The same of a Table; its rows are the items. */
  encodeTable(head: TableHead, rows: readonly ItemRun[], options?: EncodeOptions): EncodedList;

  /** An object as it stands inside a watch event, to be encoded once and shared by every watcher. */
  encodeEventObject(schema: StructType, object: object): Encoded;

  /** One frame of a watch stream around what `encodeEventObject` made. `framed` false: without length prefix (WebSocket messages). */
  encodeWatchEvent(type: WatchEventType, object: Encoded, framed?: boolean): Encoded;
}
