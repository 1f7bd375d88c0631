interface Entry {
  readonly at: number;
  readonly order: number;
  readonly action: () => void;
}

/** A simulated clock with scheduled actions; those of the same time run in the order in which they were scheduled. */
export class EventQueue {
  readonly #heap: Entry[] = [];
  #planned = 0;
  #now = 0;

  get now(): number {
    return this.#now;
  }

  at(time: number, action: () => void): void {
    const entry = { at: Math.max(time, this.#now), order: this.#planned++, action };
    let place = this.#heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#swapIfBefore(place, parent)) break;
      place = parent;
    }
  }

  /** Runs until no action is left. */
  run(): void {
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      this.#now = next.at;
      next.action();
    }
  }

  #take(): Entry | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined || this.#heap.length === 0) return first;
    this.#heap[0] = last;
    for (let place = 0; ;) {
      const left = 2 * place + 1;
      const child = left + 1 < this.#heap.length && this.#isBefore(left + 1, left) ? left + 1 : left;
      if (child >= this.#heap.length || !this.#swapIfBefore(child, place)) return first;
      place = child;
    }
  }

  #swapIfBefore(child: number, parent: number): boolean {
    if (!this.#isBefore(child, parent)) return false;
    const [below, above] = [this.#heap[child], this.#heap[parent]];
    if (below !== undefined && above !== undefined) [this.#heap[child], this.#heap[parent]] = [above, below];
    return true;
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return false;
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }
}
