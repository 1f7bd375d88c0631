import type { Step } from './recording.js';
import { type Variables, fill, fillDeep } from './variables.js';
import { writeCbor } from './wire/cbor.js';
import { writeProtobuf } from './wire/write-protobuf.js';

/** The bytes that a step sends, and their Content-Type unless the step names one. */
export function encodeBody(step: Step, variables: Variables): { bytes: Buffer; contentType?: string } | undefined {
  if (step.bodyBase64 !== undefined) return { bytes: Buffer.from(step.bodyBase64, 'base64') };
  if (step.body === undefined) return undefined;
  const body = typeof step.body === 'string' ? fill(step.body, variables) : fillDeep(step.body, variables);
  if (step.encode === 'cbor') return { bytes: writeCbor(body), contentType: 'application/cbor' };
  if (step.encode === 'protobuf') {
    return { bytes: writeProtobuf(body as Record<string, unknown>), contentType: 'application/vnd.kubernetes.protobuf' };
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const filled = step.repeat ? text.replace('@@REPEAT@@', step.repeat.text.repeat(step.repeat.times)) : text;
  return { bytes: Buffer.from(filled), contentType: 'application/json' };
}
