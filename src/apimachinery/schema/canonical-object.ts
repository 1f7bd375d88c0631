import type { Field, ScalarType, SchemaType, StructType } from './struct-type.js';
import { ZERO_MICRO_TIME, ZERO_TIME } from '../go/go-time.js';

/**
 * Converts decoded data to the canonical form of objects in memory: fields that Go would omit are deleted, and fields of presence `always`
 * get their zero value. Changes its argument and returns it.
 */
export function canonicalize(type: StructType, object: Record<string, unknown>): Record<string, unknown> {
  for (const field of type.fields) {
    const value = object[field.name];
    if (value === undefined || value === null) {
      const zero = zeroOf(field);
      if (zero !== undefined) object[field.name] = zero;
      else if (value === null) delete object[field.name];
      continue;
    }
    const canonical = canonicalValue(field.type, value);
    if (isDropped(field, canonical)) delete object[field.name];
    else if (canonical !== value) object[field.name] = canonical;
  }
  return object;
}

/** The value of an absent field in canonical form; undefined if it stays absent (times and lists of presence `always` are written as null). */
export function zeroOf(field: Field): unknown {
  if (field.presence !== 'always') return undefined;
  if (field.type.kind === 'struct') return canonicalize(field.type, {});
  return field.type.kind === 'scalar' ? zeroScalar(field.type) : undefined;
}

/** Whether the field's value is equivalent to an absent one. */
export function isDropped(field: Field, value: unknown): boolean {
  if (field.presence === 'optional') return false;
  if (value === ZERO_TIME || value === ZERO_MICRO_TIME) return field.type.kind === 'scalar' && isTime(field.type);
  if (field.presence === 'always') return false;
  if (typeof value === 'object' && value !== null) return field.type.kind !== 'struct' && field.type.kind !== 'raw' && isEmpty(value);
  return value === '' || value === 0 || value === false;
}

function isTime(type: ScalarType): boolean {
  return type.scalar === 'time' || type.scalar === 'microTime';
}

function isEmpty(value: object): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

function zeroScalar(type: ScalarType): unknown {
  if (isTime(type)) return undefined;
  if (type.scalar === 'string') return '';
  return type.scalar === 'bool' ? false : 0;
}

function canonicalValue(type: SchemaType, value: unknown): unknown {
  if (type.kind === 'struct') return canonicalize(type, value as Record<string, unknown>);
  if (type.kind === 'list' && type.items.kind === 'struct') {
    for (const item of value as Record<string, unknown>[]) canonicalize(type.items, item);
  } else if (type.kind === 'map' && type.values.kind === 'struct') {
    for (const item of Object.values(value as Record<string, Record<string, unknown>>)) canonicalize(type.values, item);
  }
  return value;
}
