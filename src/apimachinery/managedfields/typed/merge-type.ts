import type { Field, ListType, ScalarKind, SchemaType, StructType } from '../../schema/struct-type.js';
import { type PathElement, fieldElement, keyElement, valueElement } from '../fieldpath/path-element.js';

/**
 * A schema from the perspective of field ownership: what merges, what is a leaf, and how list items are identified. Compiled once per type,
 * so that walks build no strings and look nothing up.
 */
export type MergeType = LeafMergeType | StructMergeType | MapMergeType | ListMergeType;

/** Times and raw values are `untyped`, as in upstream's schema: any scalar is accepted until the object is decoded. */
export interface LeafMergeType {
  readonly kind: 'leaf';
  readonly scalar: 'string' | 'numeric' | 'boolean' | 'untyped' | 'raw';
}

interface MergeField {
  readonly name: string;
  readonly element: PathElement;
  readonly type: MergeType;
  /** Go's zero value for fields that are always present, otherwise undefined. */
  readonly zero: unknown;
  /** Whether Go omits the zero value. */
  readonly omitsZero: boolean;
}

/** A struct: known fields are merged one by one, unless it is atomic. */
export interface StructMergeType {
  readonly kind: 'struct';
  readonly atomic: boolean;
  readonly fields: readonly MergeField[];
  readonly byName: ReadonlyMap<string, MergeField>;
  readonly byElement: ReadonlyMap<PathElement, MergeField>;
  /** Known fields that are exempt from ownership: kind, apiVersion, metadata.managedFields. */
  readonly untracked: ReadonlySet<string>;
}

/** A map: entries are merged one by one. */
export interface MapMergeType {
  readonly kind: 'map';
  readonly values: MergeType;
}

/** A list: atomic, a set of scalars, or items identified by keys. */
export interface ListMergeType {
  readonly kind: 'list';
  readonly semantics: ListType['semantics'];
  readonly items: MergeType;
  readonly keys: readonly ListKey[];
}

interface ListKey {
  readonly name: string;
  /** The value for an item that lacks the key; undefined: none. */
  readonly zero: unknown;
}

/** Compiles the type of a complete object. Its kind, apiVersion and managedFields are not tracked. */
export function compileObjectType(type: StructType): StructMergeType {
  const metadata = type.fields.find((field) => field.name === 'metadata');
  const tracked = type.fields.filter((field) => field.name !== 'kind' && field.name !== 'apiVersion');
  const compiled = compileStruct({ ...type, fields: tracked }, ['kind', 'apiVersion']);
  if (metadata?.type.kind !== 'struct') return compiled;
  const meta = metadata.type;
  const ownable = { ...meta, fields: meta.fields.filter((field) => field.name !== 'managedFields') };
  const metaField = { ...compileField(metadata), type: compileStruct(ownable, ['managedFields']) };
  return structOf(
    compiled.fields.map((field) => (field.name === 'metadata' ? metaField : field)),
    compiled.atomic,
    compiled.untracked,
  );
}

/** The type of a path element; undefined if the schema does not know it. */
export function typeOfElement(type: MergeType, element: PathElement): MergeType | undefined {
  switch (type.kind) {
    case 'struct':
      return type.byElement.get(element)?.type;
    case 'map':
      return type.values;
    case 'list':
      return type.items;
    case 'leaf':
      return undefined;
  }
}

/** Whether a container is owned and replaced as a whole. */
export function isAtomic(type: MergeType): boolean {
  return (type.kind === 'struct' && type.atomic) || (type.kind === 'list' && type.semantics === 'atomic');
}

function compileStruct(type: StructType, untracked: readonly string[] = []): StructMergeType {
  return structOf(type.fields.map(compileField), type.atomic ?? false, new Set(untracked));
}

function structOf(fields: readonly MergeField[], atomic: boolean, untracked: ReadonlySet<string>): StructMergeType {
  return {
    kind: 'struct',
    atomic,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    byElement: new Map(fields.map((field) => [field.element, field])),
    untracked,
  };
}

function compileField(field: Field): MergeField {
  // Go always writes a struct that is not a pointer, even with omitempty.
  const always = field.presence === 'always' || (field.type.kind === 'struct' && field.presence === 'omitEmpty');
  return {
    name: field.name,
    element: fieldElement(field.name),
    type: compileType(field.type),
    zero: always ? zeroOf(field.type) : undefined,
    omitsZero: field.presence === 'omitEmpty' && !always,
  };
}

function compileType(type: SchemaType): MergeType {
  switch (type.kind) {
    case 'struct':
      return compileStruct(type);
    case 'map':
      return { kind: 'map', values: compileType(type.values) };
    case 'list':
      return { kind: 'list', semantics: type.semantics, items: compileType(type.items), keys: listKeys(type) };
    case 'raw':
      return RAW;
    case 'scalar':
      return SCALARS[type.scalar];
  }
}

function listKeys(type: ListType): ListKey[] {
  const fields = type.items.kind === 'struct' ? type.items.fields : [];
  return (type.mapKeys ?? []).map((name) => {
    const field = fields.find((candidate) => candidate.name === name);
    return { name, zero: field?.presence === 'always' ? zeroOf(field.type) : undefined };
  });
}

const RAW: LeafMergeType = { kind: 'leaf', scalar: 'raw' };
const UNTYPED: LeafMergeType = { kind: 'leaf', scalar: 'untyped' };
const NUMERIC: LeafMergeType = { kind: 'leaf', scalar: 'numeric' };
const SCALARS: Readonly<Record<ScalarKind, LeafMergeType>> = {
  string: { kind: 'leaf', scalar: 'string' },
  bool: { kind: 'leaf', scalar: 'boolean' },
  int32: NUMERIC,
  int64: NUMERIC,
  time: UNTYPED,
  microTime: UNTYPED,
};

function zeroOf(type: SchemaType): unknown {
  if (type.kind === 'struct') return zeroStruct(type);
  return type.kind === 'scalar' ? ZERO_SCALARS[type.scalar] : null;
}

/** Go's zero value of a struct as written: `{}` with the fields that are always present. */
function zeroStruct(type: StructType): Record<string, unknown> {
  const zero: Record<string, unknown> = {};
  for (const field of type.fields) {
    const { zero: value } = compileField(field);
    if (value !== undefined) zero[field.name] = value;
  }
  return Object.freeze(zero);
}

const ZERO_SCALARS: Readonly<Record<ScalarKind, unknown>> = { string: '', bool: false, int32: 0, int64: 0, time: null, microTime: null };

/** The reason why a list item has no identity; the text is upstream's (structured-merge-diff typed/helpers.go). */
export class ListItemError extends Error {
  override readonly name = 'ListItemError';
}

/** The path element of an item in a set or keyed list. Throws ListItemError. */
export function listItemElement(type: ListMergeType, item: unknown): PathElement {
  return type.semantics === 'map' ? keyedItemElement(type, item) : setItemElement(item);
}

/** The element of items without an identity, which no set of an object contains. */
const NONE: PathElement = '';

/** The path element of an item of an object as it is being pruned, which may have lost its identity; all of these share one. */
export function elementOrNone(type: ListMergeType, item: unknown): PathElement {
  try {
    return listItemElement(type, item);
  } catch (error) {
    if (error instanceof ListItemError) return NONE;
    throw error;
  }
}

function keyedItemElement(type: ListMergeType, item: unknown): PathElement {
  if (item === null || item === undefined) throw new ListItemError('associative list with keys may not have a null element');
  if (typeof item !== 'object' || Array.isArray(item)) {
    throw new ListItemError('associative list with keys may not have non-map elements');
  }
  const keys: Record<string, unknown> = {};
  for (const { name, zero } of type.keys) {
    const given = (item as Record<string, unknown>)[name];
    // a null is a key, too
    const value = given === undefined ? zero : given;
    if (value !== undefined) keys[name] = value;
  }
  const names = Object.keys(keys);
  if (names.length > 0) return keyElement(names, keys);
  const quoted = type.keys.map(({ name }) => `"${name}"`).join(' ');
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields [${quoted}] (and doesn't have default values for any key fields)`,
  );
}

function setItemElement(item: unknown): PathElement {
  if (item === null || item === undefined) {
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (typeof item === 'object') throw new ListItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}
