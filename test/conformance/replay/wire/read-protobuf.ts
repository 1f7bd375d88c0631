import type { ProtoField } from './proto-field.js';
import { PROTO_MESSAGES, protoMessage } from './proto-messages.js';
import { readWire } from './proto-wire.js';

type Plain = Record<string, unknown>;

const MAGIC = Buffer.from('k8s\0');

/** An object in its envelope (magic, then runtime.Unknown) as plain JSON, marked `wire: protobuf`. */
export function readProtobuf(bytes: Buffer): Plain {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('no k8s magic');
  const { raw, ...envelope } = readEnvelope(bytes.subarray(MAGIC.length));
  const kind = String(envelope['kind']);
  const message = PROTO_MESSAGES[kind];
  if (message === undefined) return { wire: 'protobuf', ...envelope, base64: raw.toString('base64') };
  const empty = kind.endsWith('List') && message['items'] ? { items: [] } : {};
  return { wire: 'protobuf', ...envelope, ...empty, ...readMessage(kind, raw) };
}

function readEnvelope(bytes: Buffer): Plain & { raw: Buffer } {
  const fields = new Map(readWire(bytes));
  const part = (number: number): Buffer => Buffer.from((fields.get(number) as Buffer | undefined) ?? []);
  const typeMeta = readWire(part(1)).map(([number, value]) => [number === 1 ? 'apiVersion' : 'kind', String(value)] as const);
  return {
    ...Object.fromEntries(typeMeta),
    ...(part(3).length === 0 ? {} : { contentEncoding: String(part(3)) }),
    ...(part(4).length === 0 ? {} : { contentType: String(part(4)) }),
    raw: part(2),
  };
}

/** Leaves out zero values of fields that cannot distinguish zero from absent, since servers may send them or not. */
export function readMessage(name: string, bytes: Buffer): Plain {
  const fields = new Map(Object.entries(protoMessage(name)).map(([key, field]) => [field.number, [key, field] as const]));
  const out: Plain = {};
  for (const [number, value] of readWire(bytes)) {
    const [key, field] = fields.get(number) ?? [];
    if (key === undefined || field === undefined) out['?unknown'] = [...((out['?unknown'] as number[]) ?? []), number];
    else addField(out, key, field, value);
  }
  return out;
}

function addField(out: Plain, key: string, field: ProtoField, value: number | Buffer): void {
  if (field.shape === 'list') {
    out[key] = [...((out[key] as unknown[]) ?? []), readValue(field.type, value)];
  } else if (field.shape === 'map') {
    const pair = new Map(readWire(value as Buffer));
    out[key] = { ...(out[key] as Plain), [String(pair.get(1) ?? '')]: String(pair.get(2) ?? '') };
  } else {
    const read = readValue(field.type, value);
    if (field.keepsZero || !isZero(read)) out[key] = read;
  }
}

function readValue(type: string, value: number | Buffer): unknown {
  if (type === 'integer') return value;
  if (type === 'boolean') return value !== 0;
  if (!Buffer.isBuffer(value)) throw new Error(`expected ${type}, got a number`);
  if (type === 'text') return value.toString('utf8');
  if (type === 'json') return JSON.parse(value.toString('utf8'));
  if (type === 'object') return readProtobuf(value);
  if (type === 'Time' || type === 'MicroTime') return readTime(type, value);
  if (type === 'FieldsV1') return readMessage(type, value)['Raw'];
  if (type === 'RawExtension') return readMessage(type, value)['raw'];
  return readMessage(type, value);
}

function readTime(type: 'Time' | 'MicroTime', bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  const parts = new Map(readWire(bytes));
  const seconds = new Date(Number(parts.get(1) ?? 0) * 1000).toISOString().slice(0, 19);
  const nanos = String(Number(parts.get(2) ?? 0)).padStart(9, '0');
  if (type === 'MicroTime') return `${seconds}.${nanos.slice(0, 6)}Z`;
  return Number(nanos) === 0 ? `${seconds}Z` : `${seconds}.${nanos}Z`;
}

const isZero = (value: unknown): boolean =>
  !value || (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0);
