import { DecodeError } from '../../errors/decode-error.js';
import { ProtoReader } from './proto-reader.js';
import type { ProtoWriter } from './proto-writer.js';

/** `k8s` and a zero byte, at the beginning of every protobuf document (apimachinery pkg/runtime/serializer/protobuf). */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** runtime.Unknown: the type of a message, and its bytes. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

/** The end of the envelope, after the message: contentEncoding and contentType, both empty. */
export const ENVELOPE_END = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

/** Writes the head of the envelope before the message that was written after `beginEnvelope`. */
export function writeEnvelope(apiVersion: string, kind: string, writer: ProtoWriter): void {
  writeEnvelopeHead(apiVersion, kind, writer.length - ENVELOPE_END.length, writer);
}

/** Writes the part of the envelope that precedes a message of this length. */
export function writeEnvelopeHead(apiVersion: string, kind: string, length: number, writer: ProtoWriter): void {
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
export function beginEnvelope(writer: ProtoWriter): void {
  writer.bytes(ENVELOPE_END);
}

/** Parses a document. Throws a DecodeError with upstream's text. */
export function readEnvelope(body: Buffer): Envelope {
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
