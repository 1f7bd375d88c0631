/** A lease flaps if so many terms of it began within this time. */
const TERMS = 4;
const WITHIN_MS = 600_000;
/** The most leases that are observed. */
const MAX_LEASES = 10_000;

/**
 * `election`: taken from one holder by the next each time. `released`: given back in between, as users of a lock do. `heartbeat`: by the one
 * holder whose name it has.
 */
export interface FlappingCounts {
  readonly election: number;
  readonly released: number;
  readonly heartbeat: number;
}

interface Observed {
  began: number[];
  taken: number[];
  isHeartbeat: boolean;
}

/** Which leases change hands again and again. Those whose last change is the longest ago are forgotten first. */
export class Flapping {
  readonly #observed = new Map<string, Observed>();

  began(path: string, isHeartbeat: boolean, now: number): void {
    const { began, taken } = this.#observed.get(path) ?? { began: [], taken: [] };
    this.#observed.delete(path);
    this.#observed.set(path, { began: [...began, now].slice(-TERMS), taken, isHeartbeat });
    this.#forget(now);
  }

  /** A term ended because somebody else took the lease. */
  taken(path: string, now: number): void {
    const observed = this.#observed.get(path);
    if (observed) observed.taken = [...observed.taken, now].slice(1 - TERMS);
  }

  counts(now: number): FlappingCounts {
    this.#forget(now);
    const counts = { election: 0, released: 0, heartbeat: 0 };
    for (const { began, taken, isHeartbeat } of this.#observed.values()) {
      if (!isRecent(began, TERMS, now)) continue;
      counts[isHeartbeat ? 'heartbeat' : isRecent(taken, TERMS - 1, now) ? 'election' : 'released'] += 1;
    }
    return counts;
  }

  #forget(now: number): void {
    for (const [path, { began }] of this.#observed) {
      if (this.#observed.size <= MAX_LEASES && now - (began.at(-1) ?? 0) <= WITHIN_MS) return;
      this.#observed.delete(path);
    }
  }
}

function isRecent(times: readonly number[], count: number, now: number): boolean {
  return times.length === count && now - (times[0] ?? 0) <= WITHIN_MS;
}
