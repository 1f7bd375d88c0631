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
