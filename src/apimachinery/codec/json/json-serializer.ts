import { listMetaSchema } from '../../meta/list-meta.schema.js';
import { deleteOptionsSchema } from '../../meta/options/delete-options.schema.js';
import type { DeleteOptionsBody } from '../../meta/options/delete-options-body.js';
import type { Status } from '../../meta/status.js';
import { statusSchema } from '../../meta/status.schema.js';
import { groupVersion } from '../../schema/group-resource.js';
import type { StructType } from '../../schema/struct-type.js';
import { decodeDeleteOptions } from '../delete-options-decoder.js';
import { EncodedList } from '../encoded-list.js';
import type { BodyDecoder } from '../object-decoder.js';
import { decodeObject, withKind } from '../object-decoder.js';
import type {
  DecodedObject,
  Encoded,
  EncodeOptions,
  ExpectedObject,
  FieldValidation,
  ItemRun,
  ListHead,
  Serializer,
  WatchEventType,
} from '../serializer.js';
import { goString } from './go-string.js';
import { compileDecoder, decodeText } from './json-decoder.js';
import { compileEncoder } from './json-encoder.js';
import { sniffKind } from './kind-sniffer.js';
import { prettyJson } from './pretty-json.js';

const NONE: readonly string[] = [];

/** application/json (apimachinery pkg/runtime/serializer/json). Compact answers end with a newline, indented ones do not. */
export class JsonSerializer implements Serializer {
  readonly mediaType = 'application/json';
  readonly watchMediaType = 'application/json';
  readonly encodesTables = true;

  decodeObject(body: Buffer, expected: ExpectedObject, validation: FieldValidation): DecodedObject {
    const text = decodeText(body);
    const object = compileDecoder(expected.schema).tryFast(text);
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

  joinItems(items: readonly Encoded[]): ItemRun {
    return joinJson(items);
  }

  encodeList(head: ListHead, runs: readonly ItemRun[], options?: EncodeOptions): string | EncodedList {
    return options?.pretty === true ? prettyJson(jsonList(head, runs)) : encodedList(head, runs);
  }

  encodeEventObject(schema: StructType, object: object): string {
    return compileEncoder(schema)(object);
  }

  encodeWatchEvent(type: WatchEventType, object: Encoded): string {
    return `{"type":"${type}","object":${object.toString()}}\n`;
  }
}

export function joinJson(items: readonly Encoded[]): ItemRun {
  return { items: items.length, bytes: Buffer.from(items.join(',')) };
}

/** A list around its items' JSON, compact and without final newline. */
export function jsonList(head: ListHead, runs: readonly ItemRun[]): string {
  return `${listStart(head)}${runs.map(({ bytes }) => bytes.toString()).join(',')}${LIST_END}`;
}

const LIST_END = ']}';

function listStart({ kind, apiVersion, metadata }: ListHead): string {
  return `{"kind":${goString(kind)},"apiVersion":${goString(apiVersion)},"metadata":${compileEncoder(listMetaSchema)(metadata)},"items":[`;
}

const COMMA = Buffer.from(',');

function encodedList(head: ListHead, runs: readonly ItemRun[]): EncodedList {
  const pieces: Buffer[] = [Buffer.from(listStart(head))];
  for (const { bytes } of runs) {
    if (pieces.length > 1) pieces.push(COMMA);
    pieces.push(bytes);
  }
  pieces.push(Buffer.from(`${LIST_END}\n`));
  return new EncodedList(pieces);
}

function finish(json: string, options?: EncodeOptions): string {
  return options?.pretty === true ? prettyJson(json) : `${json}\n`;
}

/** A JSON body for the common decoding of objects. */
export function jsonBody(text: string, bytes: Buffer, schema: StructType): BodyDecoder {
  return { sniff: () => sniffKind(text, bytes), decode: (strict) => compileDecoder(schema)(bytes, { strict }) };
}
