import { DecodeError } from '../../errors/api-error.js';
import { goString } from '../../go/go-string.js';
import { type DeleteOptionsBody, deleteOptionsSchema } from '../../meta/delete-options.schema.js';
import { listMetaSchema } from '../../meta/object-meta.schema.js';
import { type Status, statusSchema } from '../../meta/status.schema.js';
import { tableSchema } from '../../meta/table.schema.js';
import { groupVersion } from '../../schema/group-resource.js';
import type { StructType } from '../../schema/struct-type.js';
import { hasTooManyValues, tooManyValues } from '../limits/body-limits.js';
import { type BodyDecoder, decodeDeleteOptions, decodeObject, withKind } from '../serializer/decode-object.js';
import {
  type DecodedObject,
  type EncodeOptions,
  type Encoded,
  type ExpectedObject,
  type FieldValidation,
  type GroupVersionKind,
  type ItemRun,
  type ListHead,
  type Serializer,
  type TableHead,
  type WatchEventType,
  EncodedList,
  parseGroupVersion,
} from '../serializer/serializer.js';
import { compileDecoder, decodeText } from './json-decoder.js';
import { compileEncoder } from './json-encoder.js';
import { JsonReader } from './json-reader.js';
import { syntaxError } from './json-syntax.js';

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

const FIND_KIND = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const FIELDS: readonly (readonly [RegExp, 'kind' | 'apiVersion'])[] = [
  [/^kind$/iu, 'kind'],
  [/^apiversion$/iu, 'apiVersion'],
];

/**
 * Reads kind and apiVersion from JSON text before it is decoded. Names match in any case, and the last one wins (apimachinery
 * pkg/runtime/serializer/json/meta.go). Throws DecodeError.
 */
export function sniffKind(text: string, bytes: Uint8Array): GroupVersionKind {
  const problem = syntaxError(bytes) ?? findKind(text);
  if (typeof problem === 'string') throw new DecodeError(`couldn't get version/kind; json parse error: ${problem}`);
  const { group, version } = parseGroupVersion(problem.apiVersion);
  return { group, version, kind: problem.kind };
}

/** The two fields, or an error text. */
function findKind(text: string): { kind: string; apiVersion: string } | string {
  const reader = new JsonReader(text);
  const found = { kind: '', apiVersion: '' };
  if (reader.isNull()) return found;
  if (reader.kind() !== 'object') return `json: cannot unmarshal ${reader.kind()} into Go value of type ${FIND_KIND}`;
  let problem: string | undefined;
  reader.eachMember((key) => {
    const field = FIELDS.find(([pattern]) => pattern.test(key))?.[1];
    const kind = reader.kind();
    if (field !== undefined && kind === 'string') {
      found[field] = reader.string();
      return;
    }
    if (field !== undefined && kind !== 'null') problem ??= `json: cannot unmarshal ${kind} into Go struct field .${field} of type string`;
    reader.skip();
  });
  return problem ?? found;
}

/**
 * Indents compact JSON by two spaces as Go's json.Indent does; empty objects and arrays remain `{}` and `[]`. No final newline. `depth`:
 * the number of enclosing objects and arrays.
 */
export function prettyJson(json: string, depth = 0): string {
  let out = '';
  let indent = `\n${'  '.repeat(depth)}`;
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') at = endOfString(json, at);
    else if (char === ':') {
      out += `${json.slice(from, at)}: `;
      from = at + 1;
    } else if (char === ',') {
      out += `${json.slice(from, at)},${indent}`;
      from = at + 1;
    } else if (char === '{' || char === '[') {
      const closing = json[at + 1];
      if (closing === '}' || closing === ']') {
        at++;
        continue;
      }
      indent += '  ';
      out += json.slice(from, at + 1) + indent;
      from = at + 1;
    } else if (char === '}' || char === ']') {
      indent = indent.slice(0, -2);
      out += json.slice(from, at) + indent;
      from = at;
    }
  }
  return out + json.slice(from);
}

/** Index of the closing quote of the string that starts at `at`. */
function endOfString(json: string, at: number): number {
  let end = at + 1;
  while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end;
}
