import { escapeHtml, goString, sortKeys } from '../../go/go-string.js';
import { ZERO_MICRO_TIME, ZERO_TIME } from '../../go/go-time.js';
import type { Field, SchemaType, StructType } from '../../schema/struct-type.js';

/** Encodes an object in canonical form: fields in wire order, map keys sorted, Go's escaping, no final newline. */
export type JsonEncoder = (object: object) => string;

type Write = (value: unknown) => string;

const encoders = new WeakMap<StructType, JsonEncoder>();

/** The encoder of a type; compiled once per type. */
export function compileEncoder(schema: StructType): JsonEncoder {
  let encoder = encoders.get(schema);
  if (encoder === undefined) {
    encoder = structWriter(schema);
    encoders.set(schema, encoder);
  }
  return encoder;
}

function writer(type: SchemaType): Write {
  switch (type.kind) {
    case 'struct':
      return compileEncoder(type) as Write;
    case 'list':
      return listWriter(writer(type.items));
    case 'map':
      return mapWriter(writer(type.values));
    case 'raw':
      return writeRaw;
    case 'scalar':
      if (type.scalar === 'time' || type.scalar === 'microTime') return type.precise ? writeWholeSeconds : writeTime;
      return type.scalar === 'string' ? (goString as Write) : String;
  }
}

/** A pointer to a zero time is present but written as null (apimachinery pkg/apis/meta/v1/time.go). */
function writeTime(value: unknown): string {
  return value === ZERO_TIME || value === ZERO_MICRO_TIME ? 'null' : `"${value as string}"`;
}

function writeWholeSeconds(value: unknown): string {
  return writeTime((value as string).replace(/\.\d+/, ''));
}

function writeRaw(value: unknown): string {
  return escapeHtml(JSON.stringify(value) ?? 'null');
}

function listWriter(write: Write): Write {
  return (value) => {
    const items = value as readonly unknown[];
    if (items.length === 0) return '[]';
    let out = `[${write(items[0])}`;
    for (let at = 1; at < items.length; at++) out += `,${write(items[at])}`;
    return `${out}]`;
  };
}

function mapWriter(write: Write): Write {
  return (value) => {
    const map = value as Readonly<Record<string, unknown>>;
    let out = '';
    for (const key of sortKeys(Object.keys(map))) out += `${out === '' ? '' : ','}${goString(key)}:${write(map[key])}`;
    return `{${out}}`;
  };
}

interface FieldWriter {
  readonly name: string;
  /** `"name":` and `,"name":`. */
  readonly first: string;
  readonly next: string;
  readonly write: Write;
  /** Text written for an absent value; undefined: nothing. */
  readonly absent: string | undefined;
  /** Text written for null, which stored JSON contains for a pointer to a zero time. */
  readonly whenNull: string | undefined;
  /** Whether empty lists and maps, and zero scalars, are omitted. */
  readonly dropsEmpty: boolean;
  /** The zero value of a time, in addition to the zero values common to all types. */
  readonly zero: string | undefined;
}

function structWriter(schema: StructType): JsonEncoder {
  const fields = schema.fields.map(fieldWriter);
  return (object) => {
    const values = object as Readonly<Record<string, unknown>>;
    let out = '';
    for (const field of fields) {
      const value = values[field.name];
      let text: string | undefined;
      if (value === undefined) text = field.absent;
      else if (value === null) text = field.whenNull;
      else if (!field.dropsEmpty || (value !== field.zero && !isZero(value))) text = field.write(value);
      if (text !== undefined) out += (out === '' ? field.first : field.next) + text;
    }
    return `{${out}}`;
  };
}

function fieldWriter(field: Field): FieldWriter {
  const key = `${goString(field.name)}:`;
  const absent = field.presence === 'always' ? zeroText(field.type) : field.writesNull ? 'null' : undefined;
  const zero = zeroTime(field.type);
  return {
    name: field.name,
    first: key,
    next: `,${key}`,
    write: writer(field.type),
    absent,
    whenNull: field.presence === 'optional' && zero !== undefined ? 'null' : absent,
    dropsEmpty: field.presence === 'omitEmpty' && field.type.kind !== 'struct' && field.type.kind !== 'raw',
    zero,
  };
}

function zeroText(type: SchemaType): string {
  if (type.kind === 'struct') return structWriter(type)({});
  if (type.kind !== 'scalar') return 'null';
  switch (type.scalar) {
    case 'string':
      return '""';
    case 'bool':
      return 'false';
    case 'int32':
    case 'int64':
      return '0';
    case 'time':
    case 'microTime':
      return 'null';
  }
}

function zeroTime(type: SchemaType): string | undefined {
  if (type.kind !== 'scalar') return undefined;
  return type.scalar === 'time' ? ZERO_TIME : type.scalar === 'microTime' ? ZERO_MICRO_TIME : undefined;
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _key in value) return false;
  return true;
}

/**
 * Objects are stored as canonical JSON without metadata.resourceVersion. Responses in the storage version are spliced from that text
 * without parsing it.
 */
const UID = '"uid":"';

/**
 * Inserts the resourceVersion into a stored object at its canonical place, right after metadata.uid. The object must have passed
 * validation: the fields before uid (kind, apiVersion, name, generateName, namespace, selfLink) then contain no quotes.
 */
export function spliceResourceVersion(json: string, revision: number): string {
  const end = uidEnd(json, 0);
  return `${json.slice(0, end)},"resourceVersion":"${revision}"${json.slice(end)}`;
}

const METADATA = '"metadata":';

/** Like `spliceResourceVersion`, without kind and apiVersion, as in a list. Revision 0: no resourceVersion. */
export function storedListItem(json: string, revision: number): string {
  const metadata = json.indexOf(METADATA);
  if (metadata < 0) throw new Error('an object has no metadata');
  if (revision === 0) return `{${json.slice(metadata)}`;
  const end = uidEnd(json, metadata);
  return `{${json.slice(metadata, end)},"resourceVersion":"${revision}"${json.slice(end)}`;
}

/** Index after metadata.uid. */
function uidEnd(json: string, from: number): number {
  const uid = json.indexOf(UID, from);
  const end = uid < 0 ? -1 : json.indexOf('"', uid + UID.length);
  if (end < 0) throw new Error('a stored object has no metadata.uid');
  return end + 1;
}
