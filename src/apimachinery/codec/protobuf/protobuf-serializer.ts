import { listMetaSchema } from '../../meta/list-meta.schema.js';
import { type DeleteOptionsBody, deleteOptionsSchema } from '../../meta/delete-options.schema.js';
import { type Status, statusSchema } from '../../meta/status.schema.js';
import type { StructType } from '../../schema/struct-type.js';
import { decodeDeleteOptions } from '../serializer/decode-delete-options.js';
import { EncodedList } from '../serializer/encoded-list.js';
import { parseGroupVersion } from '../serializer/group-version-kind.js';
import { type BodyDecoder, decodeObject, withKind } from '../serializer/decode-object.js';
import type {
  DecodedObject,
  Encoded,
  ExpectedObject,
  FieldValidation,
  ItemRun,
  ListHead,
  Serializer,
  WatchEventType,
} from '../serializer/serializer.js';
import { type Envelope, beginEnvelope, ENVELOPE_END, readEnvelope, writeEnvelope, writeEnvelopeHead } from './envelope.js';
import { decodePlainBody } from './decode-plain-body.js';
import { decodeMessage } from './proto-decoder.js';
import { compileProtoEncoder } from './proto-encoder.js';
import { ProtoWriter } from './proto-writer.js';

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
