import { FieldSet } from '../fieldpath/field-set.js';
import { type FieldPath, type PathElement, equalValues, fieldElement, ownValue } from '../fieldpath/path-element.js';
import { type ListMergeType, type MapMergeType, type MergeType, type StructMergeType, listItemElement } from './merge-type.js';

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

/** The changes from one object to another. No path is in two of the lists; a path may be repeated within one. */
export class Comparison {
  readonly added: FieldPath[] = [];
  readonly modified: FieldPath[] = [];
  readonly removed: FieldPath[] = [];
  #changedSet?: FieldSet;
  #removedSet?: FieldSet;

  /** The comparison without these elements and everything below them. */
  without(elements: readonly PathElement[]): Comparison {
    if (elements.length === 0) return this;
    const result = new Comparison();
    const keeps = ([first]: FieldPath) => first === undefined || !elements.includes(first);
    result.added.push(...this.added.filter(keeps));
    result.modified.push(...this.modified.filter(keeps));
    result.removed.push(...this.removed.filter(keeps));
    return result;
  }

  /** Added and modified paths, which the writer of the new object now owns. */
  get changedSet(): FieldSet {
    return (this.#changedSet ??= FieldSet.of([...this.added, ...this.modified]));
  }

  get removedSet(): FieldSet {
    return (this.#removedSet ??= FieldSet.of(this.removed));
  }
}

type ReadonlyPlain = Readonly<Record<string, unknown>>;

/**
 * The changed paths, if the only changes are to values of scalar fields that exist before and after; undefined for any other change, which
 * `compare` has to examine. Needs no structured views and allocates only the result.
 */
export function modifiedScalars(type: StructMergeType, left: ReadonlyPlain, right: ReadonlyPlain): FieldPath[] | undefined {
  const found: FieldPath[] = [];
  return collect(type, left, right, NO_PATH, found) ? found : undefined;
}

const NO_PATH: readonly PathElement[] = [];

function collect(type: StructMergeType, left: ReadonlyPlain, right: ReadonlyPlain, path: FieldPath, found: FieldPath[]): boolean {
  for (const field of type.fields) {
    const before = left[field.name];
    const after = right[field.name];
    if (before === after) continue;
    if (field.type.kind === 'leaf') {
      if (!isValue(before, field.omitsZero) || !isValue(after, field.omitsZero)) return false;
      found.push([...path, field.element]);
    } else if (field.type.kind === 'struct' && !field.type.atomic && isObject(before) && isObject(after)) {
      if (!collect(field.type, before, after, [...path, field.element], found)) return false;
    } else if (!equalValues(before, after)) {
      return false;
    }
  }
  return true;
}

/** Whether a scalar counts as present. */
function isValue(value: unknown, omitsZero: boolean): boolean {
  if (typeof value === 'string' || typeof value === 'number') return !omitsZero || (value !== '' && value !== 0);
  return typeof value === 'boolean' && (value || !omitsZero);
}

function isObject(value: unknown): value is ReadonlyPlain {
  return typeof value === 'object' && value !== null;
}
