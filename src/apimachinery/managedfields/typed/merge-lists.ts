import { listItemElement } from './list-item-element.js';
import type { ListMergeType, MergeType } from './merge-type.js';
import type { PathElement } from '../fieldpath/path-element.js';

type MergeItems = (type: MergeType, left: unknown, right: unknown) => unknown;

/**
 * Merges two sets or keyed lists. Shared items are in the configuration's order; items of the live list keep their place relative to them
 * (structured-merge-diff typed/merge.go visitListItems). Duplicates in the live list are kept unless the configuration names them.
 */
export function mergeLists(type: ListMergeType, left: readonly unknown[], right: readonly unknown[], mergeItems: MergeItems): unknown[] {
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
