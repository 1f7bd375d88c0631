import { type PathElement, ownValue } from '../fieldpath/path-element.js';
import { isLeaf } from './compare.js';
import { type ListMergeType, type MapMergeType, type MergeType, type StructMergeType, listItemElement } from './merge-type.js';

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

type MergeItems = (type: MergeType, left: unknown, right: unknown) => unknown;

/**
 * Merges two sets or keyed lists. Shared items are in the configuration's order; items of the live list keep their place relative to them
 * (structured-merge-diff typed/merge.go visitListItems). Duplicates in the live list are kept unless the configuration names them.
 */
function mergeLists(type: ListMergeType, left: readonly unknown[], right: readonly unknown[], mergeItems: MergeItems): unknown[] {
  return new ListMerge(type, left, right, mergeItems).run();
}

class ListMerge {
  readonly #type: ListMergeType;
  readonly #mergeItems: MergeItems;
  readonly #left: readonly unknown[];
  readonly #leftElements: readonly PathElement[];
  readonly #rightElements: readonly PathElement[];
  readonly #leftByElement: ReadonlyMap<PathElement, unknown>;
  readonly #rightByElement: ReadonlyMap<PathElement, unknown>;
  /** Items in both lists, in the configuration's order; those from `#sharedAt` on are still to come. */
  readonly #shared: readonly PathElement[];
  readonly #taken = new Set<PathElement>();
  readonly #out: unknown[] = [];
  #leftAt = 0;
  #rightAt = 0;
  #sharedAt = 0;

  constructor(type: ListMergeType, left: readonly unknown[], right: readonly unknown[], mergeItems: MergeItems) {
    this.#type = type;
    this.#mergeItems = mergeItems;
    this.#left = left;
    this.#leftElements = left.map((item) => listItemElement(type, item));
    this.#rightElements = right.map((item) => listItemElement(type, item));
    this.#leftByElement = byElement(this.#leftElements, left);
    this.#rightByElement = byElement(this.#rightElements, right);
    this.#shared = this.#rightElements.filter((element) => this.#leftByElement.has(element));
  }

  run(): unknown[] {
    while (this.#leftAt < this.#leftElements.length || this.#rightAt < this.#rightElements.length) this.#step();
    return this.#out;
  }

  #step(): void {
    const left = this.#leftElements[this.#leftAt];
    const right = this.#rightElements[this.#rightAt];
    if (left !== undefined && right !== undefined) {
      if (left === right) {
        this.#leftAt++;
        this.#rightAt++;
        this.#takeRight(left);
        this.#sharedAt++;
        return;
      }
      const next = this.#shared[this.#sharedAt];
      if (this.#rightByElement.has(left) && next !== undefined && next !== left) {
        this.#leftAt++;
        return;
      }
    }
    if (left !== undefined) {
      if (!this.#rightByElement.has(left)) {
        this.#push(this.#left[this.#leftAt], undefined);
        this.#leftAt++;
        return;
      }
      if (this.#taken.has(left)) this.#leftAt++;
    }
    if (right !== undefined) {
      this.#rightAt++;
      this.#takeRight(right);
      if (this.#shared[this.#sharedAt] === right) this.#sharedAt++;
    }
  }

  /** Takes the configuration's item, merged with the live one of that identity. */
  #takeRight(element: PathElement): void {
    this.#taken.add(element);
    this.#push(this.#leftByElement.get(element), this.#rightByElement.get(element));
  }

  #push(left: unknown, right: unknown): void {
    const merged = this.#mergeItems(this.#type.items, left, right);
    if (merged !== undefined) this.#out.push(merged);
  }
}

/** Items by identity; the value of duplicates is null, because there is none to merge with. */
function byElement(elements: readonly PathElement[], items: readonly unknown[]): Map<PathElement, unknown> {
  const found = new Map<PathElement, unknown>();
  for (const [at, element] of elements.entries()) found.set(element, found.has(element) ? null : items[at]);
  return found;
}
