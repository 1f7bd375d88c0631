/** A member's place in one order. */
export class Place<T> {
  before: Place<T> | undefined;
  after: Place<T> | undefined;
  /** Whether it is in the order at this moment. */
  taken = false;

  constructor(readonly owner: T) {}
}

/** Members from the one that came first to the last; joining, leaving and looking at the first cost the same for any number of them. */
export class ArrivalOrder<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;

  get first(): T | undefined {
    return this.#first?.owner;
  }

  /** Puts it last, wherever it was. */
  join(place: Place<T>): void {
    if (this.#last === place) return;
    this.leave(place);
    place.taken = true;
    place.before = this.#last;
    if (this.#last) this.#last.after = place;
    else this.#first = place;
    this.#last = place;
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
  }
}
