interface Entry<V> {
  readonly value: V;
  readonly until: number;
}

/**
 * Answers that hold for a while, by text. Of two generations the older one is dropped whenever the younger one is full, so memory is
 * bounded, what is in use stays, and neither costs more than a look-up.
 */
export class ExpiringCache<V> {
  readonly #generation: number;
  readonly #now: () => number;
  #young = new Map<string, Entry<V>>();
  #old = new Map<string, Entry<V>>();

  /** At most `capacity` entries are kept, at least half as many. */
  constructor(capacity: number, now: () => number) {
    this.#generation = Math.max(1, Math.floor(capacity / 2));
    this.#now = now;
  }

  get(key: string): V | undefined {
    let entry = this.#young.get(key);
    if (!entry) {
      entry = this.#old.get(key);
      if (!entry) return undefined;
      this.#put(key, entry);
    }
    return this.#now() < entry.until ? entry.value : undefined;
  }

  set(key: string, value: V, ttlMs: number): void {
    if (ttlMs > 0) this.#put(key, { value, until: this.#now() + ttlMs });
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  #put(key: string, entry: Entry<V>): void {
    this.#young.set(key, entry);
    if (this.#young.size < this.#generation) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
