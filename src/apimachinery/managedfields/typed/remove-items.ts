import type { FieldSet } from '../fieldpath/field-set.js';
import { elementOrNone } from './list-item-element.js';
import { type ListMergeType, type MapMergeType, type MergeType, type StructMergeType, isAtomic, typeOfElement } from './merge-type.js';
import { fieldElement } from '../fieldpath/path-element.js';

type Plain = Record<string, unknown>;

/**
 * Removes the fields and items in the set from a value (structured-merge-diff typed/remove.go). As upstream, containers that become empty
 * become null, which shows that they existed.
 */
export function removeItems(type: StructMergeType, value: Plain, set: FieldSet): Plain {
  return (removeFrom(type, value, set) as Plain | null) ?? {};
}

function removeFrom(type: MergeType, value: unknown, set: FieldSet): unknown {
  if (type.kind === 'leaf') return value;
  if (value === null || value === undefined || isAtomic(type)) return null;
  return type.kind === 'list' ? removeFromList(type, value as unknown[], set) : removeFromMap(type, value as Plain, set);
}

function removeFromMap(type: StructMergeType | MapMergeType, value: Plain, set: FieldSet): Plain | null {
  const out = Object.create(null) as Plain;
  for (const [key, item] of Object.entries(value)) {
    const element = fieldElement(key);
    if (item === undefined || set.members.has(element)) continue;
    const childType = typeOfElement(type, element);
    const childSet = set.children.get(element);
    out[key] = childSet === undefined || childType === undefined ? item : removeFrom(childType, item, childSet);
  }
  return Object.keys(out).length === 0 ? null : out;
}

function removeFromList(type: ListMergeType, items: readonly unknown[], set: FieldSet): unknown {
  const kept: unknown[] = [];
  for (const item of items) {
    const element = elementOrNone(type, item);
    if (set.members.has(element)) continue;
    const childSet = set.children.get(element);
    kept.push(childSet === undefined ? item : removeFrom(type.items, item, childSet));
  }
  return kept.length === 0 ? null : kept;
}
