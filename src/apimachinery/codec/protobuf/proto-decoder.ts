import type { Field, ListType, MapType, ScalarType, SchemaType, StructType } from '../../schema/struct-type.js';
import { zeroOf } from '../../schema/canonical-object.js';
import { DecodeError } from '../../errors/api-error.js';
import { hasTooManyValues, MAX_VALUES, tooManyValues } from '../limits/body-limits.js';
import { ZERO_MICRO_TIME, ZERO_TIME } from '../../go/go-time.js';
import { JsonReader } from '../json/json-reader.js';
import { ProtoReader, civilText } from './proto-wire.js';

type Members = Record<string, unknown>;

/** Decodes fields up to `end` into `object`, which is canonical afterwards (canonical-object.ts). Throws DecodeError. */
export type ProtoDecoder = (reader: ProtoReader, end: number, object: Members) => Members;

/** Decodes one value; `previous` is the result of an earlier field with the same number. */
type Read = (reader: ProtoReader, end: number, previous: unknown) => unknown;

interface FieldReader {
  readonly name: string;
  /** Go's name of the field, for errors. */
  readonly goName: string;
  readonly wireType: number;
  readonly read: Read;
  /** Whether a later field with the same number adds to the value. */
  readonly merges: boolean;
  /** The value that is equivalent to absence; undefined if there is none. */
  readonly zero: unknown;
}

const decoders = new WeakMap<StructType, ProtoDecoder>();

/**
 * The protobuf decoder of a type; compiled once per type. Accepts fields in any order, skips unknown ones, and merges repeated messages.
 */
export function compileProtoDecoder(schema: StructType): ProtoDecoder {
  let decoder = decoders.get(schema);
  if (decoder === undefined) decoders.set(schema, (decoder = messageDecoder(schema)));
  return decoder;
}

function messageDecoder(schema: StructType): ProtoDecoder {
  const fields: (FieldReader | undefined)[] = [];
  for (const field of schema.fields) if (field.proto > 0) fields[field.proto] = fieldReader(field);
  const always = schema.fields.filter((field) => zeroOf(field) !== undefined);
  return (reader, end, object) => {
    while (reader.at < end) {
      const tag = reader.tag(end, schema.goName);
      const wireType = tag % 8;
      const field = fields[Math.floor(tag / 8)];
      if (field === undefined) {
        reader.skip(wireType, end);
        continue;
      }
      if (wireType !== field.wireType) throw new DecodeError(`proto: wrong wireType = ${wireType} for field ${field.goName}`);
      const value = field.read(reader, end, field.merges ? object[field.name] : undefined);
      if (value !== undefined && value !== field.zero) object[field.name] = value;
      else if (object[field.name] !== undefined) delete object[field.name];
    }
    for (const field of always) if (object[field.name] === undefined) object[field.name] = zeroOf(field);
    return object;
  };
}

function fieldReader(field: Field): FieldReader {
  const { name, type } = field;
  const merges = type.kind !== 'scalar' && type.kind !== 'raw';
  return { name, goName: goFieldName(name, type), wireType: wireTypeOf(type), read: reader(type), merges, zero: droppedValue(field) };
}

function droppedValue({ type, presence }: Field): unknown {
  if (type.kind !== 'scalar' || presence === 'optional') return undefined;
  if (type.scalar === 'time') return ZERO_TIME;
  if (type.scalar === 'microTime') return ZERO_MICRO_TIME;
  if (presence === 'always') return undefined;
  if (type.scalar === 'string') return '';
  return type.scalar === 'bool' ? false : 0;
}

/** In Go, an embedded metadata field has the name of its type. */
function goFieldName(name: string, type: SchemaType): string {
  return name === 'metadata' && type.kind === 'struct' ? type.goName : capitalised(name);
}

function capitalised(name: string): string {
  if (name === 'uid') return 'UID';
  return name === 'apiVersion' ? 'APIVersion' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function wireTypeOf(type: SchemaType): number {
  if (type.kind === 'list') return type.protoWrapped === true ? 2 : wireTypeOf(type.items);
  return type.kind === 'scalar' && (type.scalar === 'bool' || type.scalar.startsWith('int')) ? 0 : 2;
}

function reader(type: SchemaType): Read {
  switch (type.kind) {
    case 'scalar':
      return scalarReader(type);
    case 'struct': {
      const decode = compileProtoDecoder(type);
      return (reader, end, previous) => decode(reader, reader.delimited(end), (previous ?? {}) as Members);
    }
    case 'raw':
      return readRaw;
    case 'list':
      return type.protoWrapped === true ? wrappedListReader(type) : listReader(type);
    case 'map':
      return mapReader(type);
  }
}

function scalarReader(type: ScalarType): Read {
  switch (type.scalar) {
    case 'string':
      return (reader, end) => reader.string(end);
    case 'bool':
      return (reader, end) => reader.uint(end) !== 0;
    case 'int32':
      return (reader, end) => reader.int(end, 32);
    case 'int64':
      return (reader, end) => reader.int(end, 64);
    case 'time':
      return (reader, end) => readTime(reader, reader.delimited(end), false);
    case 'microTime':
      return (reader, end) => readTime(reader, reader.delimited(end), true);
  }
}

/** Decodes a Timestamp to canonical text: times have whole seconds and micro times six digits, whatever was sent. */
function readTime(reader: ProtoReader, end: number, micro: boolean): string {
  if (reader.at === end) return micro ? ZERO_MICRO_TIME : ZERO_TIME;
  let seconds = 0;
  let nanos = 0;
  while (reader.at < end) {
    const tag = reader.tag(end, 'Timestamp');
    if (tag === 8) seconds = reader.int(end, 64);
    else if (tag === 16) nanos = reader.int(end, 32);
    else if (tag >= 8 && tag < 24) throw new DecodeError(`proto: wrong wireType = ${tag % 8} for field ${tag < 16 ? 'Seconds' : 'Nanos'}`);
    else reader.skip(tag % 8, end);
  }
  const whole = civilText(seconds + (micro ? Math.floor(nanos / 1e9) : 0));
  if (whole === undefined) throw new DecodeError('timestamp outside the years 0 to 9999');
  if (!micro) return `${whole}Z`;
  const micros = Math.floor((((nanos % 1e9) + 1e9) % 1e9) / 1000);
  return `${whole}.${String(micros).padStart(6, '0')}Z`;
}

/** The JSON in the first field of FieldsV1 and RawExtension; invalid JSON is treated as absent. */
function readRaw(reader: ProtoReader, end: number): unknown {
  const stop = reader.delimited(end);
  let json: string | undefined;
  while (reader.at < stop) {
    const tag = reader.entryTag(stop);
    if (tag === 10) json = reader.string(stop);
    else reader.skip(tag % 8, stop);
  }
  if (json === undefined || json === '') return undefined;
  if (json.length > MAX_VALUES && hasTooManyValues(Buffer.from(json))) throw tooManyValues();
  try {
    return json.length < 1000 ? (JSON.parse(json) as unknown) : parseDeep(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Parses JSON after checking its depth. Throws a DecodeError if it is nested too deeply, a SyntaxError if it is not JSON. */
function parseDeep(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? new JsonReader(json).raw() : value;
}

function listReader(type: ListType): Read {
  const read = reader(type.items);
  return (reader, end, previous) => {
    const items = (previous ?? []) as unknown[];
    items.push(read(reader, end, undefined));
    return items;
  };
}

function wrappedListReader(type: ListType): Read {
  const read = reader(type.items);
  return (reader, end, previous) => {
    const stop = reader.delimited(end);
    const items = (previous ?? []) as unknown[];
    while (reader.at < stop) {
      const tag = reader.entryTag(stop);
      if (tag === 10) items.push(read(reader, stop, undefined));
      else reader.skip(tag % 8, stop);
    }
    return items;
  };
}

function mapReader(type: MapType): Read {
  const read = reader(type.values);
  const wireType = wireTypeOf(type.values);
  const zero = type.values.kind === 'scalar' ? (wireType === 2 ? '' : 0) : type.values.kind === 'list' ? [] : {};
  return (reader, end, previous) => {
    const stop = reader.delimited(end);
    let key = '';
    let value: unknown = zero;
    while (reader.at < stop) {
      const tag = reader.entryTag(stop);
      if (tag === 10) key = reader.string(stop);
      else if (tag === 16 + wireType) value = read(reader, stop, undefined);
      else reader.skip(tag % 8, stop);
    }
    const map = (previous ?? {}) as Members;
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
    return map;
  };
}

/** Decodes a complete message to canonical form. */
export function decodeMessage(schema: StructType, bytes: Buffer): Members {
  const reader = new ProtoReader(bytes);
  return compileProtoDecoder(schema)(reader, bytes.length, {});
}
