import { Comparison } from './comparison.js';
import { equalValues, ownValue } from '../fieldpath/compare-values.js';
import { listItemElement } from './list-item-element.js';
import type { ListMergeType, MapMergeType, MergeType, StructMergeType } from './merge-type.js';
import { type PathElement, fieldElement } from '../fieldpath/path-element.js';

type Plain = Record<string, unknown>;

/**
 * Compares two objects of one type, path by path (structured-merge-diff typed/compare.go). Both are plain data of the right shape;
 * undefined means absent, null an explicit null. Duplicate items of sets and keyed lists are tolerated.
 */
export function compare(type: StructMergeType, left: Plain, right: Plain): Comparison {
  const walk = new CompareWalk();
  walk.value(type, left, right);
  return walk.comparison;
}

class CompareWalk {
  readonly comparison = new Comparison();
  readonly #path: PathElement[] = [];

  value(type: MergeType, left: unknown, right: unknown): void {
    if (left === right) return;
    if (isLeaf(type, left, right)) {
      this.#leaf(left, right);
      return;
    }
    switch (type.kind) {
      case 'struct':
        this.#struct(type, left as Plain | null | undefined, right as Plain | null | undefined);
        break;
      case 'map':
        this.#map(type, left as Plain | null | undefined, right as Plain | null | undefined);
        break;
      case 'list':
        this.#list(type, (left as unknown[] | null | undefined) ?? [], (right as unknown[] | null | undefined) ?? []);
        break;
      case 'leaf':
        break;
    }
    if (left === undefined) this.comparison.added.push([...this.#path]);
    else if (right === undefined) this.comparison.removed.push([...this.#path]);
  }

  #leaf(left: unknown, right: unknown): void {
    if (left === undefined) this.comparison.added.push([...this.#path]);
    else if (right === undefined) this.comparison.removed.push([...this.#path]);
    else if (!equalValues(left, right)) this.comparison.modified.push([...this.#path]);
  }

  #child(element: PathElement, type: MergeType, left: unknown, right: unknown): void {
    this.#path.push(element);
    this.value(type, left, right);
    this.#path.pop();
  }

  #struct(type: StructMergeType, left: Plain | null | undefined, right: Plain | null | undefined): void {
    for (const field of type.fields) {
      const before = left?.[field.name];
      const after = right?.[field.name];
      if (before !== after) this.#child(field.element, field.type, before, after);
    }
  }

  #map(type: MapMergeType, left: Plain | null | undefined, right: Plain | null | undefined): void {
    for (const key in left) this.#child(fieldElement(key), type.values, left[key], ownValue(right, key));
    for (const key in right) {
      if (ownValue(left, key) === undefined) this.#child(fieldElement(key), type.values, undefined, right[key]);
    }
  }

  #list(type: ListMergeType, left: readonly unknown[], right: readonly unknown[]): void {
    const before = itemsByElement(type, left);
    const after = itemsByElement(type, right);
    for (const [element, items] of before) this.#items(type, element, items, after.get(element) ?? []);
    for (const [element, items] of after) if (!before.has(element)) this.#items(type, element, [], items);
  }

  /** Compares the items with one identity. Several items on one side are duplicates, which are compared and owned as one leaf. */
  #items(type: ListMergeType, element: PathElement, left: readonly unknown[], right: readonly unknown[]): void {
    if (left.length <= 1 && right.length <= 1) {
      this.#child(element, type.items, left[0], right[0]);
    } else if (left.length >= 2 && right.length >= 2) {
      if (!equalValues(left, right)) this.comparison.modified.push([...this.#path, element]);
    } else if (left.length >= 2) {
      if (right.length === 1) this.#child(element, type.items, undefined, right[0]);
      this.comparison.removed.push([...this.#path, element]);
    } else {
      if (left.length === 1) this.#child(element, type.items, left[0], undefined);
      this.comparison.added.push([...this.#path, element]);
    }
  }
}

/** Scalars and atomic values are leaves, and so are two empty containers, which distinguishes null, empty and absent. */
export function isLeaf(type: MergeType, left: unknown, right: unknown): boolean {
  switch (type.kind) {
    case 'leaf':
      return true;
    case 'struct':
      return type.atomic || (isEmptyMap(left) && isEmptyMap(right));
    case 'map':
      return isEmptyMap(left) && isEmptyMap(right);
    case 'list':
      return type.semantics === 'atomic' || (isEmptyList(left) && isEmptyList(right));
  }
}

function isEmptyMap(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  for (const key in value) if ((value as Plain)[key] !== undefined) return false;
  return true;
}

function isEmptyList(value: unknown): boolean {
  return value === undefined || value === null || (value as unknown[]).length === 0;
}

function itemsByElement(type: ListMergeType, items: readonly unknown[]): Map<PathElement, unknown[]> {
  const found = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const element = listItemElement(type, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
