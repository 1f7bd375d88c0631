import type { ProtoField } from './proto-field.js';
import { protoMessage } from './proto-messages.js';
import { writeField } from './proto-wire.js';

type Plain = Record<string, unknown>;

/** An object in its envelope, as clients send it. */
export function writeProtobuf(object: Plain): Buffer {
  const kind = String(object['kind']);
  const typeMeta = Buffer.concat([textField(1, String(object['apiVersion'])), textField(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0'), writeField(1, typeMeta), writeField(2, writeMessage(kind, object))]);
}

const textField = (number: number, text: string) => writeField(number, Buffer.from(text));

function writeMessage(name: string, object: Plain): Buffer {
  const parts = Object.entries(protoMessage(name)).map(([key, field]) => {
    const value = object[key];
    return value === undefined || value === null ? Buffer.alloc(0) : writeAll(field, value);
  });
  return Buffer.concat(parts);
}

function writeAll(field: ProtoField, value: unknown): Buffer {
  if (field.shape === 'list') return Buffer.concat((value as unknown[]).map((item) => writeField(field.number, encoded(field.type, item))));
  if (field.shape === 'single') return writeField(field.number, encoded(field.type, value));
  const pairs = Object.entries(value as Plain).map(([key, item]) => Buffer.concat([textField(1, key), textField(2, String(item))]));
  return Buffer.concat(pairs.map((pair) => writeField(field.number, pair)));
}

function encoded(type: string, value: unknown): number | Buffer {
  if (type === 'text') return Buffer.from(String(value));
  if (type === 'integer' || type === 'boolean') return Number(value);
  if (type === 'json') return Buffer.from(JSON.stringify(value));
  if (type === 'Time' || type === 'MicroTime') return encodedTime(String(value));
  return writeMessage(type, type === 'FieldsV1' ? { Raw: value } : (value as Plain));
}

function encodedTime(text: string): Buffer {
  const [, seconds, fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(text) ?? [];
  if (seconds === undefined) throw new Error(`not a time: ${text}`);
  const nanos = Number(fraction.padEnd(9, '0'));
  return Buffer.concat([writeField(1, Date.parse(`${seconds}Z`) / 1000), ...(nanos === 0 ? [] : [writeField(2, nanos)])]);
}
