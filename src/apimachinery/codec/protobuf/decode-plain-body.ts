import { groupVersion } from '../../schema/group-resource.js';
import { isDecodeError } from '../../errors/decode-error.js';
import type { ExpectedObject } from '../serializer/serializer.js';
import { ENVELOPE_END, writeEnvelopeHead } from './envelope.js';
import { compileProtoDecoder } from './proto-decoder.js';
import { ProtoReader } from './proto-reader.js';
import { ProtoWriter } from './proto-writer.js';

const heads = new WeakMap<ExpectedObject, Buffer>();

/**
 * Decodes a body of the expected kind with the layout of generated clients: type, message, two empty fields. Returns undefined for all
 * other bodies, valid or not, which the general decoder handles.
 */
export function decodePlainBody(body: Buffer, expected: ExpectedObject): Record<string, unknown> | undefined {
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
