/** A lease flaps if so many terms of it began within this time. */
const TERMS = 4;
const WITHIN_MS = 600_000;
/** The most leases that are observed. */
const MAX_LEASES = 10_000;

/** Which leases change hands again and again. Those whose last change is the longest ago are forgotten first. */
export class Flapping {
  readonly #began = new Map<string, number[]>();

  began(path: string, now: number): void {
    const times = [...(this.#began.get(path) ?? []), now].slice(-TERMS);
    this.#began.delete(path);
    this.#began.set(path, times);
    this.#forget(now);
  }

  count(now: number): number {
    this.#forget(now);
    let count = 0;
    for (const times of this.#began.values()) if (times.length === TERMS && now - (times[0] ?? 0) <= WITHIN_MS) count += 1;
    return count;
  }

  #forget(now: number): void {
    for (const [path, times] of this.#began) {
      if (this.#began.size <= MAX_LEASES && now - (times.at(-1) ?? 0) <= WITHIN_MS) return;
      this.#began.delete(path);
    }
  }
}
