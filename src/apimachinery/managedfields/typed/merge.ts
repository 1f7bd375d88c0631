import { isLeaf } from './compare.js';
import { ownValue } from '../fieldpath/compare-values.js';
import type { MapMergeType, MergeType, StructMergeType } from './merge-type.js';
import { mergeLists } from './merge-lists.js';

type Plain = Record<string, unknown>;

/**
 * Merges a configuration into an object: leaves and atomic values of the configuration win; maps, sets and keyed lists are merged. Only an
 * explicit null removes something (structured-merge-diff typed/merge.go). The result shares unchanged parts with the arguments.
 */
export function merge(type: StructMergeType, live: Plain, configuration: Plain): Plain {
  return (mergeValues(type, live, configuration) as Plain | null | undefined) ?? {};
}

/** Either side may be absent (undefined). Returns undefined if nothing is left. */
function mergeValues(type: MergeType, left: unknown, right: unknown): unknown {
  if (isLeaf(type, left, right)) return right === undefined ? left : right;
  switch (type.kind) {
    case 'struct':
      return mergeStructs(type, left as Plain | null | undefined, right as Plain | null | undefined);
    case 'map':
      return mergeMaps(type, left as Plain | null | undefined, right as Plain | null | undefined);
    case 'list': {
      const items = mergeLists(
        type,
        (left as unknown[] | null | undefined) ?? [],
        (right as unknown[] | null | undefined) ?? [],
        mergeValues,
      );
      return items.length === 0 ? undefined : items;
    }
    case 'leaf':
      return right;
  }
}

function mergeStructs(type: StructMergeType, left: Plain | null | undefined, right: Plain | null | undefined): Plain | undefined {
  const out: Plain = {};
  for (const field of type.fields) setMerged(out, field.name, field.type, left?.[field.name], right?.[field.name]);
  return Object.keys(out).length === 0 ? undefined : out;
}

function mergeMaps(type: MapMergeType, left: Plain | null | undefined, right: Plain | null | undefined): Plain | undefined {
  const out = Object.create(null) as Plain;
  for (const key of Object.keys(left ?? {})) setMerged(out, key, type.values, left?.[key], ownValue(right, key));
  for (const key of Object.keys(right ?? {})) {
    if (ownValue(left, key) === undefined) setMerged(out, key, type.values, undefined, right?.[key]);
  }
  return Object.keys(out).length === 0 ? undefined : out;
}

function setMerged(out: Plain, key: string, type: MergeType, left: unknown, right: unknown): void {
  if (left === undefined && right === undefined) return;
  const value = mergeValues(type, left, right);
  if (value !== undefined) out[key] = value;
}
