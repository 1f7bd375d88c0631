import { quote } from '../apimachinery/go/go-string.js';
import type { Scheduler } from '../time/scheduler.js';

const MAX_UINT64 = 2n ** 64n - 1n;

/** A resource version that is not a decimal uint64. The message is Go's, since upstream shows it to clients. */
export class ResourceVersionError extends Error {
  constructor(text: string, problem: 'invalid syntax' | 'value out of range') {
    super(`strconv.ParseUint: parsing ${quote(text)}: ${problem}`);
    this.name = 'ResourceVersionError';
  }
}

/**
 * Parses a resource version like upstream's Versioner.ParseResourceVersion: decimal digits, leading zeros allowed, no sign. '' and '0' give
 * 0, which callers treat as "unset". Throws ResourceVersionError.
 */
export function parseResourceVersion(text: string): bigint {
  if (text === '') return 0n;
  if (!/^[0-9]+$/.test(text)) throw new ResourceVersionError(text, 'invalid syntax');
  const value = BigInt(text);
  if (value > MAX_UINT64) throw new ResourceVersionError(text, 'value out of range');
  return value;
}

/** Revisions with `ended < revision < began` were never assigned in this history. */
export interface RevisionGap {
  readonly ended: number;
  readonly began: number;
}

/**
 * Revisions that were skipped when one copy of the database replaced another. A client that names one of them has seen a lost history and
 * must list again.
 */
export class RevisionGaps {
  static readonly none = new RevisionGaps([]);
  readonly #gaps: readonly RevisionGap[];

  constructor(gaps: readonly RevisionGap[]) {
    this.#gaps = gaps.filter(({ ended, began }) => ended + 1 < began);
  }

  get count(): number {
    return this.#gaps.length;
  }

  /** The gap that contains this revision; undefined if this history may have assigned it, or may still do so. */
  around(revision: number | bigint): RevisionGap | undefined {
    return this.#gaps.find(({ ended, began }) => ended < revision && revision < began);
  }

  /** How many revisions after this one were skipped. */
  widthAfter(revision: number): number {
    return this.#gaps.reduce((sum, { ended, began }) => (ended >= revision ? sum + began - ended - 1 : sum), 0);
  }

  /** Whether the revision lies in a gap. */
  has(revision: number | bigint): boolean {
    return this.around(revision) !== undefined;
  }
}

interface Sample {
  /** The newest revision that was known at `at`. */
  revision: number;
  at: number;
  readonly begun: number;
}

/** Revisions that become known within this many milliseconds share a sample. */
const GRAIN_MS = 100;
/** Samples may be as far apart as this part of their age, so that a month of writes needs some three thousand of them. */
const PART_OF_AGE = 1 / 256;
const FIRST_THINNING = 4_096;

/**
 * Since when this process has known that a revision is committed, by its own steady clock. Revisions rise in the order of commits, so one sample
 * answers for all revisions up to its own. A time is never earlier than the commit; it may be later.
 */
export class RevisionTimes {
  #samples: Sample[] = [];
  #thinnedAt = FIRST_THINNING;

  /** Everything up to `revision` is known now. `now`: milliseconds of a steady clock. */
  add(revision: number, now: number): void {
    const last = this.#samples.at(-1);
    if (last && now - last.begun < GRAIN_MS) {
      last.revision = revision;
      last.at = now;
      return;
    }
    this.#samples.push({ revision, at: now, begun: now });
    if (this.#samples.length >= this.#thinnedAt) this.#thin(now);
  }

  /** Forgets all times: what was known may be lost, so that an older state is current again. */
  reset(revision: number, now: number): void {
    this.#samples = [];
    this.add(revision, now);
  }

  /** How long a revision has been known; 0 if it is not. */
  age(revision: number, now: number): number {
    let low = 0;
    let high = this.#samples.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#samples[middle] as Sample).revision < revision) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, now - (this.#samples[low]?.at ?? now));
  }

  #thin(now: number): void {
    let later = Infinity;
    const kept = this.#samples.reverse().filter(({ at }) => {
      if (later - at < (now - later) * PART_OF_AGE) return false;
      later = at;
      return true;
    });
    this.#samples = kept.reverse();
    this.#thinnedAt = Math.max(FIRST_THINNING, 2 * kept.length);
  }
}

interface Waiter {
  readonly revision: bigint;
  readonly done: (reached: boolean) => void;
}

/** Callers that wait for a store to reach a revision. */
export class RevisionWaiters {
  readonly #scheduler: Scheduler;
  readonly #waiters = new Set<Waiter>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Resolves to whether the revision was reached within this time. */
  wait(revision: bigint, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (reached: boolean) => {
        cancel();
        this.#waiters.delete(waiter);
        resolve(reached);
      };
      const waiter: Waiter = { revision, done };
      const cancel = this.#scheduler.after(timeoutMs, () => done(false));
      this.#waiters.add(waiter);
    });
  }

  /** Ends the waits for revisions up to this one. */
  reached(revision: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.revision <= revision) waiter.done(true);
    }
  }
}
