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
