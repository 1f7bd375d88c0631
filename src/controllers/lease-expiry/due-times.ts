interface Due {
  readonly at: number;
  readonly key: string;
}

/** Keys by the time at which each is due: a binary heap. A key may be in it several times; it is up to the caller which counts. */
export class DueTimes {
  #heap: Due[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** When the first one is due; Infinity: there is none. */
  get first(): number {
    return this.#heap[0]?.at ?? Infinity;
  }

  add(at: number, key: string): void {
    const heap = this.#heap;
    let place = heap.length;
    const due = { at, key };
    heap.push(due);
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      const above = heap[parent] as Due;
      if (above.at <= at) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = due;
  }

  /** Removes and answers the first one. */
  pop(): Due | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first && last && heap.length > 0) this.#sink(last);
    return first;
  }

  /** Replaces everything. */
  reset(all: Iterable<readonly [key: string, at: number]>): void {
    this.#heap = Array.from(all, ([key, at]) => ({ key, at })).sort((a, b) => a.at - b.at);
  }

  #sink(due: Due): void {
    const heap = this.#heap;
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      const right = heap[child + 1];
      if (right && right.at < (heap[child] as Due).at) child += 1;
      const below = heap[child] as Due;
      if (below.at >= due.at) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = due;
  }
}
