import { Token, Type, encode } from 'cborg';
import { DecodeError } from '../../errors/api-error.js';
import { type DeleteOptionsBody, deleteOptionsSchema } from '../../meta/delete-options.schema.js';
import { listMetaSchema } from '../../meta/object-meta.schema.js';
import { type Status, statusSchema } from '../../meta/status.schema.js';
import type { StructType } from '../../schema/struct-type.js';
import { compileEncoder } from '../json/json-encoder.js';
import { type BodyDecoder, decodeDeleteOptions, decodeObject } from '../serializer/decode-object.js';
import {
  type DecodedObject,
  type Encoded,
  type ExpectedObject,
  type FieldValidation,
  type GroupVersionKind,
  type ItemRun,
  type ListHead,
  type Serializer,
  type WatchEventType,
  EncodedList,
  parseGroupVersion,
} from '../serializer/serializer.js';
import { CborDecoder, checkKeys } from './cbor-decoder.js';
import { type CborNode, isNull, isString, readCbor } from './read-cbor.js';

/** Tag 55799, "self-described CBOR", at the beginning of every document. */
const SELF_DESCRIBED = Buffer.from([0xd9, 0xd9, 0xf7]);

/** Strings are encoded as byte strings, because they may not be valid Unicode (apimachinery pkg/runtime/serializer/cbor). */
const PROFILE = { typeEncoders: { string: (text: string) => [new Token(Type.bytes, Buffer.from(text))] } };

/** application/cbor in Kubernetes' profile; watch streams are sequences of documents. */
export class CborSerializer implements Serializer {
  readonly mediaType = 'application/cbor';
  readonly watchMediaType = 'application/cbor-seq';
  /** Upstream does not support Tables in CBOR, although the format could encode them. */
  readonly encodesTables = false;

  decodeObject(body: Buffer, expected: ExpectedObject, validation: FieldValidation): DecodedObject {
    return decodeObject(body, new CborBody(body, expected.schema), expected, validation);
  }

  decodeDeleteOptions(body: Buffer): DeleteOptionsBody {
    return decodeDeleteOptions(new CborBody(body, deleteOptionsSchema));
  }

  encodeObject(schema: StructType, object: object): Buffer {
    return Buffer.concat([SELF_DESCRIBED, item(schema, object)]);
  }

  encodeStatus(status: Status): Buffer {
    return this.encodeObject(statusSchema, status);
  }

  encodeItem(schema: StructType, object: object): Buffer {
    return item(schema, object);
  }

  joinItems(items: readonly Encoded[]): ItemRun {
    return { items: items.length, bytes: Buffer.concat(items as readonly Buffer[]) };
  }

  encodeList(head: ListHead, runs: readonly ItemRun[]): EncodedList {
    return new EncodedList([
      SELF_DESCRIBED,
      mapHead(4),
      text('kind'),
      text(head.kind),
      text('apiVersion'),
      text(head.apiVersion),
      text('metadata'),
      item(listMetaSchema, head.metadata),
      text('items'),
      arrayHead(runs.reduce((sum, { items }) => sum + items, 0)),
      ...runs.map(({ bytes }) => bytes),
    ]);
  }

  encodeTable(): EncodedList {
    throw new Error('CBOR has no encoding of Tables');
  }

  encodeEventObject(schema: StructType, object: object): Buffer {
    return this.encodeObject(schema, object);
  }

  encodeWatchEvent(type: WatchEventType, object: Encoded): Buffer {
    return Buffer.concat([SELF_DESCRIBED, mapHead(2), text('type'), text(type), text('object'), object as Buffer]);
  }
}

/** Fields are included, and values are canonical, as in the JSON encoder. */
function item(schema: StructType, object: object): Buffer {
  return Buffer.from(encode(JSON.parse(compileEncoder(schema)(object)), PROFILE));
}

function text(value: string): Buffer {
  return Buffer.from(encode(value, PROFILE));
}

function mapHead(members: number): Buffer {
  return Buffer.from([0xa0 + members]);
}

function arrayHead(length: number): Buffer {
  const bytes = Buffer.alloc(5, 0x9a);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

/** A CBOR body for the common decoding of objects. */
class CborBody implements BodyDecoder {
  readonly #body: Buffer;
  readonly #schema: StructType;
  #root: CborNode | undefined;

  constructor(body: Buffer, schema: StructType) {
    this.#body = body;
    this.#schema = schema;
  }

  sniff(): GroupVersionKind {
    try {
      this.#root = readCbor(this.#body);
      const { kind, apiVersion } = typeMeta(this.#root);
      return { ...parseGroupVersion(apiVersion), kind };
    } catch (error) {
      if (error instanceof DecodeError) throw new DecodeError(`unable to determine group/version/kind: ${error.message}`);
      throw error;
    }
  }

  decode() {
    return new CborDecoder().decode(this.#schema, this.#root ?? readCbor(this.#body));
  }
}

/** Kind and apiVersion of the outermost map; unlike in JSON, their names are case-sensitive. */
function typeMeta(root: CborNode): { kind: string; apiVersion: string } {
  const found = { kind: '', apiVersion: '' };
  if (isNull(root)) return found;
  if (root.kind !== 'map') {
    const detail = root.kind === 'array' ? ' (cannot decode CBOR array to struct without toarray option)' : '';
    throw new DecodeError(`cbor: cannot unmarshal ${root.kind} into Go value of type v1.TypeMeta${detail}`);
  }
  checkKeys(root);
  for (const [key, value] of root.entries) {
    if (!isString(key) || (key.value !== 'kind' && key.value !== 'apiVersion') || isNull(value)) continue;
    if (!isString(value)) {
      throw new DecodeError(`cbor: cannot unmarshal ${value.kind} into Go struct field v1.TypeMeta.${key.value} of type string`);
    }
    found[key.value] = value.value;
  }
  return found;
}
