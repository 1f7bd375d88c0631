import { listMetaSchema } from '../../meta/list-meta.schema.js';
import { tableSchema } from '../../meta/table.schema.js';
import { type DeleteOptionsBody, deleteOptionsSchema } from '../../meta/delete-options.schema.js';
import { type Status, statusSchema } from '../../meta/status.schema.js';
import { groupVersion } from '../../schema/group-resource.js';
import type { StructType } from '../../schema/struct-type.js';
import { decodeDeleteOptions } from '../serializer/decode-delete-options.js';
import { EncodedList } from '../serializer/encoded-list.js';
import { type BodyDecoder, decodeObject, withKind } from '../serializer/decode-object.js';
import type {
  DecodedObject,
  Encoded,
  EncodeOptions,
  ExpectedObject,
  FieldValidation,
  ItemRun,
  ListHead,
  Serializer,
  TableHead,
  WatchEventType,
} from '../serializer/serializer.js';
import { goString } from '../../go/go-string.js';
import { hasTooManyValues, tooManyValues } from '../limits/body-limits.js';
import { compileDecoder, decodeText } from './json-decoder.js';
import { compileEncoder } from './json-encoder.js';
import { sniffKind } from './sniff-kind.js';
import { prettyJson } from './pretty-json.js';

const NONE: readonly string[] = [];

/** application/json (apimachinery pkg/runtime/serializer/json). Compact responses end with a newline, indented ones do not. */
export class JsonSerializer implements Serializer {
  readonly mediaType = 'application/json';
  readonly watchMediaType = 'application/json';
  readonly encodesTables = true;

  decodeObject(body: Buffer, expected: ExpectedObject, validation: FieldValidation): DecodedObject {
    const text = decodeText(body);
    const object = hasTooManyValues(body) ? undefined : compileDecoder(expected.schema).tryFast(text);
    if (object !== undefined && object.kind === expected.kind && object.apiVersion === groupVersion(expected.group, expected.version)) {
      return { object: withKind(object, expected), warnings: NONE };
    }
    return decodeObject(body, jsonBody(text, body, expected.schema), expected, validation);
  }

  decodeDeleteOptions(body: Buffer): DeleteOptionsBody {
    return decodeDeleteOptions(jsonBody(decodeText(body), body, deleteOptionsSchema));
  }

  encodeObject(schema: StructType, object: object, options?: EncodeOptions): string {
    return finish(compileEncoder(schema)(object), options);
  }

  encodeStatus(status: Status, options?: EncodeOptions): string {
    return this.encodeObject(statusSchema, status, options);
  }

  encodeItem(schema: StructType, object: object): string {
    return compileEncoder(schema)(object);
  }

  joinItems(items: readonly Encoded[], options?: EncodeOptions): ItemRun {
    const text = options?.pretty
      ? items.map((item) => prettyJson(item.toString(), ITEM_DEPTH)).join(PRETTY_LAYOUT.between)
      : items.join(COMPACT_LAYOUT.between);
    return { items: items.length, bytes: Buffer.from(text) };
  }

  encodeList(head: ListHead, runs: readonly ItemRun[], options?: EncodeOptions): EncodedList {
    return listAround(emptyListJson(head), runs, options);
  }

  encodeTable(head: TableHead, rows: readonly ItemRun[], options?: EncodeOptions): EncodedList {
    return listAround(emptyTableJson(head), rows, options);
  }

  encodeEventObject(schema: StructType, object: object): string {
    return compileEncoder(schema)(object);
  }

  encodeWatchEvent(type: WatchEventType, object: Encoded): string {
    return `{"type":"${type}","object":${object.toString()}}\n`;
  }
}

/** A list without items, its last field. Compact, without a final newline. */
export function emptyListJson({ kind, apiVersion, metadata }: ListHead): string {
  const meta = compileEncoder(listMetaSchema)(metadata);
  return `{"kind":${goString(kind)},"apiVersion":${goString(apiVersion)},"metadata":${meta},"items":[]}`;
}

/** A Table without rows, its last field. */
export function emptyTableJson(head: TableHead): string {
  return compileEncoder(tableSchema)({ ...head, rows: [] });
}

/** The layout of items in a list that is the last field of an object. */
interface ListLayout {
  readonly before: string;
  readonly between: string;
  readonly after: string;
  /** The text at the end of an object with an empty list. */
  readonly empty: string;
}

const ITEM_DEPTH = 2;
const COMPACT_LAYOUT: ListLayout = { before: '[', between: ',', after: ']}\n', empty: '[]}\n' };
const PRETTY_LAYOUT: ListLayout = { before: '[\n    ', between: ',\n    ', after: '\n  ]\n}', empty: '[]\n}' };

function listAround(emptyList: string, runs: readonly ItemRun[], options?: EncodeOptions): EncodedList {
  const { before, between, after, empty } = options?.pretty ? PRETTY_LAYOUT : COMPACT_LAYOUT;
  const whole = finish(emptyList, options);
  if (runs.length === 0) return new EncodedList([Buffer.from(whole)]);
  const separator = Buffer.from(between);
  const pieces: Buffer[] = [Buffer.from(whole.slice(0, -empty.length) + before)];
  for (const { bytes } of runs) {
    if (pieces.length > 1) pieces.push(separator);
    pieces.push(bytes);
  }
  pieces.push(Buffer.from(after));
  return new EncodedList(pieces);
}

function finish(json: string, options?: EncodeOptions): string {
  return options?.pretty === true ? prettyJson(json) : `${json}\n`;
}

/** A JSON body for the decoder that all media types share. */
export function jsonBody(text: string, bytes: Buffer, schema: StructType): BodyDecoder {
  const sniff = () => {
    if (hasTooManyValues(bytes)) throw tooManyValues();
    return sniffKind(text, bytes);
  };
  return { sniff, decode: (strict) => compileDecoder(schema)(bytes, { strict }) };
}
