import { TimeParseError, parseMicroTime, parsePreciseTime, parseTime } from '../../go/go-time.js';
import type { KubeObject } from '../../meta/object-meta.schema.js';
import { canonicalize, zeroOf } from '../../schema/canonical-object.js';
import { renderGroupVersionKind } from '../../schema/group-resource.js';
import type { ScalarType, SchemaType, StructType } from '../../schema/struct-type.js';
import { type PathElement, equalValues } from '../fieldpath/path-element.js';
import { type ListMergeType, type MergeType, type StructMergeType, compileObjectType } from './merge-type.js';
import { checkTyped } from './validate-configuration.js';

/** Parsed JSON of an object. */
export type Plain = Record<string, unknown>;

/** Converts an object between served versions; throws what the codec throws. */
export type ConvertObject = (object: KubeObject, fromApiVersion: string, toApiVersion: string) => KubeObject;

/** The compiled types of a resource's versions, and conversions between them. Managers of other versions are dropped. */
export class VersionedTypes {
  readonly #kind: string;
  readonly #schemas: ReadonlyMap<string, StructType>;
  readonly #types = new Map<string, StructMergeType>();
  readonly #empty = new Map<string, Plain>();
  readonly #convert: ConvertObject | undefined;

  /** `reset`: fields that writes cannot change (upstream's ResetFields); their ownership never changes. */
  constructor(
    kind: string,
    versions: Readonly<Record<string, StructType>>,
    convert?: ConvertObject,
    readonly reset: readonly PathElement[] = [],
  ) {
    this.#kind = kind;
    for (const [apiVersion, schema] of Object.entries(versions)) {
      const type = compileObjectType(schema);
      this.#types.set(apiVersion, type);
      this.#empty.set(apiVersion, structuredView(type, {}));
    }
    this.#schemas = new Map(Object.entries(versions));
    this.#convert = convert;
  }

  /** Whether the resource has this version (`group/version`). */
  knows(apiVersion: string): boolean {
    return this.#types.has(apiVersion);
  }

  /** Throws for an unknown version, which is a defect of the caller. */
  type(apiVersion: string): StructMergeType {
    const type = this.#types.get(apiVersion);
    if (type === undefined) throw new Error(`no type for ${apiVersion}`);
    return type;
  }

  /** An object as a typed value; undefined for an object that does not exist yet. */
  view(object: KubeObject | undefined, apiVersion: string): Plain {
    return object === undefined ? (this.#empty.get(apiVersion) ?? {}) : structuredView(this.type(apiVersion), object);
  }

  /** Converts a merged value to an object. Throws WireObjectError. */
  object(value: Plain, apiVersion: string): KubeObject {
    const schema = this.#schemas.get(apiVersion);
    if (schema === undefined) throw new Error(`no type for ${apiVersion}`);
    const type = renderGroupVersionKind({ kind: this.#kind, apiVersion });
    return explaining(`unable to convert unstructured object to ${type}`, () => toWireObject(schema, value));
  }

  /** Converts a typed value to another version. Throws WireObjectError, and UntypedObjectError if its lists have repeated items. */
  convert(value: Plain, from: string, to: string): Plain {
    if (from === to) return value;
    if (this.#convert === undefined) throw new Error(`no conversion from ${from} to ${to}`);
    const converted = this.trackedView(this.#convert(this.object(value, from), from, to), to);
    checkTyped(this.type(to), converted, false);
    return converted;
  }

  /** An object as a typed value without untracked fields, from which merges start. */
  trackedView(object: KubeObject | undefined, apiVersion: string): Plain {
    const view = this.view(object, apiVersion);
    const metadata = { ...(view['metadata'] as Plain) };
    delete metadata['managedFields'];
    const tracked: Plain = { ...view, metadata };
    delete tracked['kind'];
    delete tracked['apiVersion'];
    return tracked;
  }
}

/**
 * The value as the merge library sees a Go struct: fields that are always present have their zero value, and zero values of omitempty
 * fields are absent. Returns its argument if there is no difference, as for every decoded object, and never changes it. Not used for
 * applied configurations, which are taken as the client wrote them.
 */
function structuredView(type: StructMergeType, value: Plain): Plain {
  let view = value;
  for (const field of type.fields) {
    const given = value[field.name];
    const shown = fieldView(field.type, given);
    const kept = shown === undefined || (field.omitsZero && isZero(shown)) ? field.zero : shown;
    if (kept === given) continue;
    if (view === value) view = { ...value };
    if (kept === undefined) delete view[field.name];
    else view[field.name] = kept;
  }
  return view;
}

function fieldView(type: MergeType, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (type.kind === 'struct') return structuredView(type, value as Plain);
  return type.kind === 'list' && type.items.kind === 'struct' ? listView(type, value as unknown[]) : value;
}

function listView(type: ListMergeType, items: unknown[]): unknown[] {
  const views = items.map((item) => fieldView(type.items, item));
  return views.every((view, at) => view === items[at]) ? items : views;
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === '' || value === 0 || value === false || value === null;
  return Array.isArray(value) ? value.length === 0 : equalValues(value, {});
}

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
function toWireObject(type: StructType, value: Readonly<Record<string, unknown>>): KubeObject {
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
