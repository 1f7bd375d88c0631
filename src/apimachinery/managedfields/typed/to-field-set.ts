import { FieldSet } from '../fieldpath/field-set.js';
import { type PathElement, fieldElement } from '../fieldpath/path-element.js';
import {
  type ListMergeType,
  type MapMergeType,
  type MergeType,
  type StructMergeType,
  elementOrNone,
  isAtomic,
  typeOfElement,
} from './merge-type.js';

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

/**
 * Adapts an old or client-made set to the current schema: the owner of something inside an atomic value owns the whole value
 * (structured-merge-diff typed/reconcile_schema.go). Returns its argument if nothing changes.
 */
export function reconcileWithSchema(set: FieldSet, type: MergeType): FieldSet {
  let result = set;
  for (const [element, child] of set.children) {
    const childType = typeOfElement(type, element);
    if (childType === undefined) continue;
    const atomic = isAtomic(childType);
    const reconciled = atomic ? undefined : reconcileWithSchema(child, childType);
    if (reconciled === child) continue;
    if (result === set) result = copyOf(set);
    if (reconciled !== undefined) {
      result.children.set(element, reconciled);
    } else {
      result.children.delete(element);
      result.members.add(element);
    }
  }
  return result;
}

function copyOf(set: FieldSet): FieldSet {
  const copy = new FieldSet();
  for (const element of set.members) copy.members.add(element);
  for (const [element, child] of set.children) copy.children.set(element, child);
  return copy;
}
