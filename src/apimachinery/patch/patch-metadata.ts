import { badRequest } from '../errors/status-errors.js';
import { quote } from '../go/quote.js';
import type { Field, ListType, SchemaType } from '../schema/struct-type.js';

/** How a strategic merge patch merges the items of a list. */
export interface ListMetadata {
  readonly items: SchemaType;
  readonly merges: boolean;
  /** '' for lists of primitives. */
  readonly mergeKey: string;
}

/** The type of a member that both patch and object contain. Throws a 400 where upstream returns 500. */
export function memberType(type: SchemaType, key: string): SchemaType {
  return lookUp(type, key).type;
}

/** Like `memberType`, for a list (apimachinery pkg/util/strategicpatch/meta.go). */
export function listMetadata(type: SchemaType, key: string): ListMetadata {
  const field = lookUp(type, key);
  if (field.type.kind === 'list') return ofList(field.type);
  if (field.presence === 'optional') return { items: field.type, merges: false, mergeKey: '' };
  throw badRequest(`expected slice or array type, but got: ${goKind(type)}`);
}

function ofList({ items, patchStrategy, patchMergeKey }: ListType): ListMetadata {
  return { items, merges: patchStrategy === 'merge', mergeKey: patchMergeKey ?? '' };
}

/** Names are matched as in Go's JSON library: exactly, or else in any case. */
function lookUp(type: SchemaType, key: string): Field {
  if (type.kind !== 'struct') throw badRequest(`merging an object in json but data type is not struct, instead is: ${goKind(type)}`);
  const folded = key.toLowerCase();
  const field = type.fields.find(({ name }) => name === key) ?? type.fields.find(({ name }) => name.toLowerCase() === folded);
  if (field) return field;
  throw badRequest(`unable to find api field in struct ${type.goName} for the json field ${quote(key)}`);
}

function goKind(type: SchemaType): string {
  if (type.kind === 'scalar') return type.scalar === 'time' || type.scalar === 'microTime' ? 'struct' : type.scalar;
  return type.kind === 'list' ? 'slice' : type.kind === 'map' ? 'map' : 'struct';
}
