import { canonicalize, zeroOf } from '../../schema/canonical-object.js';
import { parseMicroTime, parsePreciseTime, parseTime, TimeParseError } from '../../go/go-time.js';
import type { KubeObject } from '../../meta/kube-object.js';
import type { ScalarType, SchemaType, StructType } from '../../schema/struct-type.js';

/** A value that matches the merge schema but not the type, such as a fraction for an int32. */
export class WireObjectError extends Error {
  override readonly name = 'WireObjectError';
}

/** Returns the result of `run`. Adds `context` to the beginning of the message of a WireObjectError that it throws. */
export function explaining<T>(context: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof WireObjectError) throw new WireObjectError(`${context}: ${error.message}`, { cause: error });
    throw error;
  }
}

/**
 * Converts merged plain data that matches the merge schema to an object: parses times, truncates integers, and replaces nulls by zero
 * values (apimachinery pkg/runtime/converter.go FromUnstructured). The result shares nothing mutable with the argument. Throws
 * WireObjectError.
 */
export function toWireObject(type: StructType, value: Readonly<Record<string, unknown>>): KubeObject {
  return canonicalize(type, structOf(type, value)) as unknown as KubeObject;
}

function structOf(type: StructType, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const field of type.fields) {
    const given = value[field.name];
    if (given !== undefined && given !== null) out[field.name] = typed(field.type, given);
  }
  return out;
}

function typed(type: SchemaType, value: unknown): unknown {
  switch (type.kind) {
    case 'struct':
      return structOf(type, value as Record<string, unknown>);
    case 'map':
      return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, typedItem(type.values, item)]));
    case 'list':
      return (value as unknown[]).map((item) => typedItem(type.items, item));
    case 'raw':
      return value;
    case 'scalar':
      return scalarOf(type, value);
  }
}

/** List items cannot be absent. */
function typedItem(type: SchemaType, value: unknown): unknown {
  if (value !== null && value !== undefined) return typed(type, value);
  return zeroOf({ name: '', type, presence: 'always', proto: 0, description: '' }) ?? null;
}

function scalarOf(type: ScalarType, value: unknown): unknown {
  switch (type.scalar) {
    case 'int32':
      return Number(BigInt.asIntN(32, BigInt(integer(value, 'int32'))));
    case 'int64':
      return integer(value, 'int64');
    case 'time':
      return timeOf(type.precise ? parsePreciseTime : parseTime, value);
    case 'microTime':
      return timeOf(parseMicroTime, value);
    case 'string':
    case 'bool':
      return value;
  }
}

function integer(value: unknown, name: string): number {
  if (!Number.isInteger(value)) throw new WireObjectError(`cannot convert float64 to ${name}`);
  return value as number;
}

function timeOf(parse: (text: string) => string, value: unknown): string {
  if (typeof value !== 'string') throw new WireObjectError(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type string`);
  try {
    return parse(value);
  } catch (error) {
    if (error instanceof TimeParseError) throw new WireObjectError(error.message, { cause: error });
    throw error;
  }
}

function jsonTypeName(value: unknown): string {
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
