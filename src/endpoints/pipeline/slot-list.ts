/** What can be in a SlotList, in one at a time. */
export interface Slotted {
  /** Its place in the list; -1 while it is in none. The list's business. */
  slot: number;
}

/**
 * Things that come and go by the thousand a second, in no order. A Set would do, but for the garbage collector: V8 gives a Set a new
 * table now and then, and each old one keeps its successor and what it held alive until a full collection. Measured: that moved ten
 * times as much of every request to the old generation.
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

  /** Does nothing for what is not in the list. */
  delete(item: T): void {
    if (item.slot < 0) return;
    this.#slots[item.slot] = undefined;
    this.#free.push(item.slot);
    item.slot = -1;
  }

  /** What is added or deleted meanwhile may be visited or not. */
  forEach(visit: (item: T) => void): void {
    for (const item of this.#slots) if (item) visit(item);
  }
}
