import type { KubeObject } from '../../meta/kube-object.js';
import type { ListMeta } from '../../meta/list-meta.schema.js';
import type { DeleteOptionsBody } from '../../meta/delete-options.schema.js';
import type { Status } from '../../meta/status.schema.js';
import type { StructType } from '../../schema/struct-type.js';
import type { EncodedList } from './encoded-list.js';
import type { KindRegistry } from './kind-registry.js';

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
   * may also come from stored bytes, see stored-json.ts.)
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
