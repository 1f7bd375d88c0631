/**
 * Values by the time at which each is due: a binary heap, whose times and values are in arrays of their own, which take less memory than a
 * pair for each. A value may be in it several times; it is up to the caller which counts.
 */
export class DueTimes<V> {
  #times: number[] = [];
  #values: V[] = [];

  get size(): number {
    return this.#times.length;
  }

  /** When the first one is due; Infinity: there is none. */
  get first(): number {
    return this.#times[0] ?? Infinity;
  }

  add(at: number, value: V): void {
    let place = this.#times.length;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if ((this.#times[parent] as number) <= at) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, at, value);
  }

  /** Removes and answers the first one. */
  pop(): { readonly at: number; readonly value: V } | undefined {
    const [at] = this.#times;
    const [value] = this.#values as [V];
    if (at === undefined) return undefined;
    const last = { at: this.#times.pop() as number, value: this.#values.pop() as V };
    if (this.#times.length > 0) this.#sink(last.at, last.value);
    return { at, value };
  }

  /** Replaces everything. */
  reset(all: Iterable<readonly [at: number, value: V]>): void {
    const sorted = Array.from(all).sort(([a], [b]) => a - b);
    this.#times = sorted.map(([at]) => at);
    this.#values = sorted.map(([, value]) => value);
  }

  #sink(at: number, value: V): void {
    const times = this.#times;
    let place = 0;
    for (let child = 1; child < times.length; child = 2 * place + 1) {
      if ((times[child + 1] ?? Infinity) < (times[child] as number)) child += 1;
      if ((times[child] as number) >= at) break;
      this.#move(child, place);
      place = child;
    }
    this.#put(place, at, value);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from] as number, this.#values[from] as V);
  }

  #put(place: number, at: number, value: V): void {
    this.#times[place] = at;
    this.#values[place] = value;
  }
}
