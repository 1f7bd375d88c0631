import type { Field, ListType, MapType, ScalarType, SchemaType, StructType } from '../../schema/struct-type.js';
import { ZERO_MICRO_TIME, ZERO_TIME } from '../../go/go-time.js';
import { sortKeys } from '../../go/go-string.js';
import { type ProtoWriter, secondsOf } from './proto-wire.js';

/** Writes the fields of an object, back to front. */
export type ProtoEncoder = (object: object, writer: ProtoWriter) => void;

/** Writes one value with its tag. `tag` is the shifted field number. */
type Write = (value: unknown, writer: ProtoWriter) => void;

const VARINT = 0;
const BYTES = 2;
const encoders = new WeakMap<StructType, ProtoEncoder>();

/**
 * The protobuf encoder of a type; compiled once per type. Like gogo's: fields in the order of their numbers, Go values that are not
 * pointers written even if zero, map entries sorted by key. Fields with number 0 are not part of the message.
 */
export function compileProtoEncoder(schema: StructType): ProtoEncoder {
  let encoder = encoders.get(schema);
  if (encoder === undefined) encoders.set(schema, (encoder = structEncoder(schema)));
  return encoder;
}

function structEncoder(schema: StructType): ProtoEncoder {
  const fields = schema.fields
    .filter((field) => field.proto > 0)
    .sort((a, b) => b.proto - a.proto)
    .map((field) => ({
      name: field.name,
      write: fieldWriter(field.type, field.proto),
      zero: zeroOf(field),
      whenNull: zeroOf({ ...field, presence: isTimePointer(field) ? 'always' : field.presence }),
    }));
  return (object, writer) => {
    const values = object as Readonly<Record<string, unknown>>;
    for (const { name, write, zero, whenNull } of fields) {
      const given = values[name];
      const value = given ?? (given === null ? whenNull : zero);
      if (value !== undefined) write(value, writer);
    }
  };
}

/** Whether null stands for a pointer to a zero time, as in stored JSON. */
function isTimePointer({ type, presence }: Field): boolean {
  return presence === 'optional' && type.kind === 'scalar' && (type.scalar === 'time' || type.scalar === 'microTime');
}

/** The value written for an absent field: Go's zero value, unless the field is a pointer, list or map. */
function zeroOf({ type, presence }: Field): unknown {
  if (presence === 'optional') return undefined;
  if (type.kind === 'struct') return {};
  if (type.kind === 'list' && type.protoWrapped === true) return [];
  if (type.kind !== 'scalar') return undefined;
  if (type.scalar === 'time') return ZERO_TIME;
  if (type.scalar === 'microTime') return ZERO_MICRO_TIME;
  if (type.scalar === 'string') return '';
  return type.scalar === 'bool' ? false : 0;
}

function fieldWriter(type: SchemaType, number: number): Write {
  switch (type.kind) {
    case 'scalar':
      return scalarWriter(type, number);
    case 'struct': {
      const encode = compileProtoEncoder(type);
      return message(number, (value, writer) => encode(value as object, writer));
    }
    case 'raw':
      return rawWriter(number);
    case 'list':
      return type.protoWrapped === true ? message(number, listWriter(type, 1)) : listWriter(type, number);
    case 'map':
      return mapWriter(type, number);
  }
}

function scalarWriter(type: ScalarType, number: number): Write {
  const varint = number * 8 + VARINT;
  switch (type.scalar) {
    case 'string':
      return stringWriter(number);
    case 'bool':
      return (value, writer) => {
        writer.varint(value === true ? 1 : 0);
        writer.varint(varint);
      };
    case 'int32':
    case 'int64':
      return (value, writer) => {
        writer.varint(value as number);
        writer.varint(varint);
      };
    case 'time':
    case 'microTime':
      return message(number, writeTime);
  }
}

/** A Timestamp; the zero time is an empty message (apimachinery pkg/apis/meta/v1/{time,micro_time}_proto.go). */
function writeTime(value: unknown, writer: ProtoWriter): void {
  if (value === ZERO_TIME || value === ZERO_MICRO_TIME) return;
  const text = value as string;
  writer.varint(text.length > 20 ? Number(text.slice(20, 26)) * 1000 : 0);
  writer.varint(2 * 8 + VARINT);
  writer.varint(secondsOf(text));
  writer.varint(1 * 8 + VARINT);
}

/** Writes content, preceded by its tag and length. */
function message(number: number, content: Write): Write {
  const tag = number * 8 + BYTES;
  return (value, writer) => {
    const before = writer.length;
    content(value, writer);
    writer.head(tag, before);
  };
}

function stringWriter(number: number): Write {
  const tag = number * 8 + BYTES;
  return (value, writer) => {
    const before = writer.length;
    if (value !== '') writer.string(value as string);
    writer.head(tag, before);
  };
}

/** FieldsV1 and RawExtension: a message whose first field contains JSON. */
function rawWriter(number: number): Write {
  const inner = message(1, (value, writer) => writer.string(JSON.stringify(value)));
  return message(number, inner);
}

function listWriter(type: ListType, number: number): Write {
  const write = fieldWriter(type.items, number);
  return (value, writer) => {
    const items = value as readonly unknown[];
    for (let at = items.length - 1; at >= 0; at--) write(items[at], writer);
  };
}

function mapWriter(type: MapType, number: number): Write {
  const writeKey = fieldWriter({ kind: 'scalar', scalar: 'string' }, 1);
  const writeValue = fieldWriter(type.values, 2);
  const writeEntry = message(number, (entry, writer) => {
    const [key, value] = entry as [string, unknown];
    writeValue(value, writer);
    writeKey(key, writer);
  });
  return (value, writer) => {
    const map = value as Readonly<Record<string, unknown>>;
    const keys = sortKeys(Object.keys(map));
    for (let at = keys.length - 1; at >= 0; at--) {
      const key = keys[at] ?? '';
      writeEntry([key, map[key]], writer);
    }
  };
}
