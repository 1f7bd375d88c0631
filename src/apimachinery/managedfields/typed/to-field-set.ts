import { FieldSet } from '../fieldpath/field-set.js';
import { elementOrNone } from './list-item-element.js';
import { type ListMergeType, type MapMergeType, type MergeType, type StructMergeType, isAtomic, typeOfElement } from './merge-type.js';
import { type PathElement, fieldElement } from '../fieldpath/path-element.js';

/**
 * The paths that a value sets: leaves, list items, map keys, and containers that are null or empty maps (structured-merge-diff
 * typed/tofieldset.go). Non-empty containers themselves are not included.
 */
export function toFieldSet(type: StructMergeType, value: Readonly<Record<string, unknown>>): FieldSet {
  const set = new FieldSet();
  collect(set, [], type, value);
  return set;
}

function collect(set: FieldSet, path: PathElement[], type: MergeType, value: unknown): void {
  if (type.kind === 'leaf' || isAtomic(type)) set.insert(path);
  else if (value === null || value === undefined) return;
  else if (type.kind === 'list') collectItems(set, path, type, value as unknown[]);
  else collectFields(set, path, type, value as Record<string, unknown>);
}

function collectFields(set: FieldSet, path: PathElement[], type: StructMergeType | MapMergeType, value: Record<string, unknown>): void {
  for (const [key, item] of Object.entries(value)) {
    const element = fieldElement(key);
    const itemType = typeOfElement(type, element);
    if (itemType === undefined || item === undefined) continue;
    const child = [...path, element];
    collect(set, child, itemType, item);
    if (type.kind === 'map' || item === null || isEmptyMap(item)) set.insert(child);
  }
}

/** Items with the same identity are owned as one, without their content. */
function collectItems(set: FieldSet, path: PathElement[], type: ListMergeType, items: readonly unknown[]): void {
  const elements = items.map((item) => elementOrNone(type, item));
  const counts = new Map<PathElement, number>();
  for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
  for (const [at, element] of elements.entries()) {
    const child = [...path, element];
    if (counts.get(element) === 1) collect(set, child, type.items, items[at]);
    set.insert(child);
  }
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
