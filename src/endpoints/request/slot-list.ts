/** An item of a SlotList. It can be in one list at a time. */
export interface Slotted {
  /** The item's index in the list, -1 outside of one. Only the list writes it. */
  slot: number;
}

/**
 * An unordered set for items that are added and removed thousands of times a second. It replaces Set for the sake of the garbage
 * collector: V8 rehashes a Set into new tables, and each old table keeps its successor and its items alive until a full collection.
 * Measured: with a Set ten times as much of every request reached the old generation.
 */
export class SlotList<T extends Slotted> {
  readonly #slots: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  add(item: T): void {
    item.slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[item.slot] = item;
  }

  /** Does nothing for an item that is not in the list. */
  delete(item: T): void {
    if (item.slot < 0) return;
    this.#slots[item.slot] = undefined;
    this.#free.push(item.slot);
    item.slot = -1;
  }

  /** Items that are added or deleted meanwhile may be visited or not. */
  forEach(visit: (item: T) => void): void {
    for (const item of this.#slots) if (item) visit(item);
  }
}
