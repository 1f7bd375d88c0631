/** A member's place in one order. */
export class Place<T> {
  before: Place<T> | undefined;
  after: Place<T> | undefined;
  /** Whether its owner is currently in the order. */
  taken = false;

  constructor(readonly owner: T) {}
}

/** Members in the order in which they joined. Joining, leaving and reading the first member take constant time. */
export class ArrivalOrder<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.owner;
  }

  /** All members, from the first. The order must not change during the iteration. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#first; place; place = place.after) yield place.owner;
  }

  /** Moves the member to the end, wherever it was. */
  join(place: Place<T>): void {
    if (this.#last === place) return;
    this.leave(place);
    place.taken = true;
    place.before = this.#last;
    if (this.#last) this.#last.after = place;
    else this.#first = place;
    this.#last = place;
    this.#size += 1;
  }

  leave(place: Place<T>): void {
    if (!place.taken) return;
    const { before, after } = place;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    place.before = place.after = undefined;
    place.taken = false;
    this.#size -= 1;
  }
}
