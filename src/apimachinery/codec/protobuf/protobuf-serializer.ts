import { DecodeError, isDecodeError } from '../../errors/api-error.js';
import { type DeleteOptionsBody, deleteOptionsSchema } from '../../meta/delete-options.schema.js';
import { listMetaSchema } from '../../meta/object-meta.schema.js';
import { type Status, statusSchema } from '../../meta/status.schema.js';
import { groupVersion } from '../../schema/group-resource.js';
import type { StructType } from '../../schema/struct-type.js';
import { type BodyDecoder, decodeDeleteOptions, decodeObject, withKind } from '../serializer/decode-object.js';
import {
  type DecodedObject,
  type Encoded,
  type ExpectedObject,
  type FieldValidation,
  type ItemRun,
  type ListHead,
  type Serializer,
  type WatchEventType,
  EncodedList,
  parseGroupVersion,
} from '../serializer/serializer.js';
import { compileProtoDecoder, decodeMessage } from './proto-decoder.js';
import { compileProtoEncoder } from './proto-encoder.js';
import { ProtoReader, ProtoWriter } from './proto-wire.js';

const NONE: readonly string[] = [];
const METADATA_TAG = 0x0a;
const ITEMS_TAG = 0x12;
const writer = new ProtoWriter();

/** application/vnd.kubernetes.protobuf. Unknown and duplicate fields are never reported; Tables are not supported. */
export class ProtobufSerializer implements Serializer {
  readonly mediaType = 'application/vnd.kubernetes.protobuf';
  readonly watchMediaType = 'application/vnd.kubernetes.protobuf;stream=watch';
  readonly encodesTables = false;

  decodeObject(body: Buffer, expected: ExpectedObject, validation: FieldValidation): DecodedObject {
    const plain = decodePlainBody(body, expected);
    if (plain) return { object: withKind(plain, expected), warnings: NONE };
    return decodeObject(body, new ProtobufBody(body, expected.schema), expected, validation);
  }

  decodeDeleteOptions(body: Buffer): DeleteOptionsBody {
    return decodeDeleteOptions(new ProtobufBody(body, deleteOptionsSchema));
  }

  encodeObject(schema: StructType, object: object): Buffer {
    const { kind = '', apiVersion = '' } = object as { kind?: string; apiVersion?: string };
    return document(kind, apiVersion, () => compileProtoEncoder(schema)(object, writer));
  }

  encodeStatus(status: Status): Buffer {
    return this.encodeObject(statusSchema, status);
  }

  /** Only the message: items have no kind in protobuf. */
  encodeItem(schema: StructType, object: object): Buffer {
    return write(() => compileProtoEncoder(schema)(object, writer));
  }

  joinItems(items: readonly Encoded[]): ItemRun {
    return { items: items.length, bytes: Buffer.concat(items.flatMap((item) => [itemHead(item.length), item as Buffer])) };
  }

  encodeList(head: ListHead, runs: readonly ItemRun[]): EncodedList {
    const metadata = write(() => {
      compileProtoEncoder(listMetaSchema)(head.metadata, writer);
      writer.head(METADATA_TAG, 0);
    });
    const fields = [metadata, ...runs.map(({ bytes }) => bytes)];
    const length = fields.reduce((sum, field) => sum + field.length, 0);
    const start = write(() => writeEnvelopeHead(head.apiVersion, head.kind, length, writer));
    return new EncodedList([start, ...fields, ENVELOPE_END]);
  }

  encodeTable(): EncodedList {
    throw new Error('protobuf has no encoding of Tables');
  }

  encodeEventObject(schema: StructType, object: object): Buffer {
    return this.encodeObject(schema, object);
  }

  /** A WatchEvent without an envelope, after its length as a four-byte big-endian number. */
  encodeWatchEvent(type: WatchEventType, object: Encoded, framed = true): Buffer {
    return write(() => {
      writer.bytes(object as Buffer);
      writer.head(0x0a, 0);
      writer.head(0x12, 0);
      const before = writer.length;
      writer.string(type);
      writer.head(0x0a, before);
      if (framed) writer.bytes(uint32(writer.length));
    });
  }
}

/** Runs work on the shared writer, which is cleared even if the work fails. */
function write(work: () => void): Buffer {
  try {
    work();
    return writer.take();
  } catch (error) {
    writer.reset();
    throw error;
  }
}

function document(kind: string, apiVersion: string, content: () => void): Buffer {
  return write(() => {
    beginEnvelope(writer);
    content();
    writeEnvelope(apiVersion, kind, writer);
  });
}

/** Tag and length of an item. */
function itemHead(length: number): Buffer {
  return write(() => {
    writer.varint(length);
    writer.varint(ITEMS_TAG);
  });
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

class ProtobufBody implements BodyDecoder {
  readonly #body: Buffer;
  readonly #schema: StructType;
  #envelope: Envelope | undefined;

  constructor(body: Buffer, schema: StructType) {
    this.#body = body;
    this.#schema = schema;
  }

  sniff() {
    this.#envelope = readEnvelope(this.#body);
    return { ...parseGroupVersion(this.#envelope.apiVersion), kind: this.#envelope.kind };
  }

  decode() {
    const { raw } = this.#envelope ?? readEnvelope(this.#body);
    return { object: decodeMessage(this.#schema, raw), strictErrors: NONE };
  }
}

/** `k8s` and a zero byte, at the beginning of every protobuf document (apimachinery pkg/runtime/serializer/protobuf). */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** runtime.Unknown: the type of a message, and its bytes. */
interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

/** The end of the envelope, after the message: contentEncoding and contentType, both empty. */
const ENVELOPE_END = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

/** Writes the head of the envelope before the message that was written after `beginEnvelope`. */
function writeEnvelope(apiVersion: string, kind: string, writer: ProtoWriter): void {
  writeEnvelopeHead(apiVersion, kind, writer.length - ENVELOPE_END.length, writer);
}

/** Writes the part of the envelope that precedes a message of this length. */
function writeEnvelopeHead(apiVersion: string, kind: string, length: number, writer: ProtoWriter): void {
  writer.varint(length);
  writer.varint(0x12);
  const before = writer.length;
  writer.string(kind);
  writer.head(0x12, before);
  const versionBefore = writer.length;
  writer.string(apiVersion);
  writer.head(0x0a, versionBefore);
  writer.head(0x0a, before);
  writer.bytes(MAGIC);
}

/** Call it before the message is written. */
function beginEnvelope(writer: ProtoWriter): void {
  writer.bytes(ENVELOPE_END);
}

/** Parses a document. Throws a DecodeError with upstream's text. */
function readEnvelope(body: Buffer): Envelope {
  if (body.length === 0) throw new DecodeError('empty data');
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new DecodeError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  if (body.length === MAGIC.length) throw new DecodeError('empty body');
  const reader = new ProtoReader(body);
  reader.at = MAGIC.length;
  let typeMeta = { apiVersion: '', kind: '' };
  let content: Buffer = Buffer.alloc(0);
  reader.fields(body.length, 'Unknown', (tag) => {
    if (tag === 0x0a) typeMeta = readTypeMeta(reader, reader.delimited(body.length), typeMeta);
    else if (tag === 0x12) {
      const end = reader.delimited(body.length);
      content = body.subarray(reader.at, end);
      reader.at = end;
    } else return false;
    return true;
  });
  return { ...typeMeta, raw: content };
}

function readTypeMeta(reader: ProtoReader, end: number, previous: { apiVersion: string; kind: string }) {
  const found = { ...previous };
  reader.fields(end, 'TypeMeta', (tag) => {
    if (tag === 0x0a) found.apiVersion = reader.string(end);
    else if (tag === 0x12) found.kind = reader.string(end);
    else return false;
    return true;
  });
  return found;
}

const heads = new WeakMap<ExpectedObject, Buffer>();

/**
 * Decodes a body of the expected kind with the layout of generated clients: type, message, two empty fields. Returns undefined for all
 * other bodies, valid or not, which the general decoder handles.
 */
function decodePlainBody(body: Buffer, expected: ExpectedObject): Record<string, unknown> | undefined {
  const head = headOf(expected);
  if (!holdsAt(body, 0, head)) return undefined;
  const reader = new ProtoReader(body);
  reader.at = head.length;
  try {
    const end = reader.delimited(body.length);
    if (!isEnd(body, end)) return undefined;
    return compileProtoDecoder(expected.schema)(reader, end, {});
  } catch (error) {
    if (isDecodeError(error)) return undefined;
    throw error;
  }
}

/** Everything before the length of the message. */
function headOf(expected: ExpectedObject): Buffer {
  let head = heads.get(expected);
  if (head === undefined) {
    const writer = new ProtoWriter();
    writeEnvelopeHead(groupVersion(expected.group, expected.version), expected.kind, 0, writer);
    heads.set(expected, (head = writer.take().subarray(0, -1)));
  }
  return head;
}

function isEnd(body: Buffer, at: number): boolean {
  return at === body.length || (at + ENVELOPE_END.length === body.length && holdsAt(body, at, ENVELOPE_END));
}

function holdsAt(body: Buffer, at: number, bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) if (body[at + i] !== bytes[i]) return false;
  return true;
}
