interface Entry<V> {
  readonly value: V;
  readonly until: number;
}

/**
 * A cache with a time to live and bounded memory. It has two generations; when the younger is full the older is dropped, so entries in use
 * survive and each lookup is at most two map lookups.
 */
export class ExpiringCache<V> {
  readonly #generation: number;
  readonly #now: () => number;
  #young = new Map<string, Entry<V>>();
  #old = new Map<string, Entry<V>>();

  /** Holds at most `capacity` entries, and at least half as many. */
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
