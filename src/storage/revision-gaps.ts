/** Revisions with `ended < revision < began` were never given out in this history. */
export interface RevisionGap {
  readonly ended: number;
  readonly began: number;
}

/**
 * The revisions of a history that were left out where one copy of the database took the place of another. A client that names one of them
 * has seen a history that is lost, and must list again.
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

  /** The gap that has this revision; undefined where this history may have given it out, or may do so one day. */
  around(revision: number | bigint): RevisionGap | undefined {
    return this.#gaps.find(({ ended, began }) => ended < revision && revision < began);
  }

  /** How many revisions after this one were left out. */
  widthAfter(revision: number): number {
    return this.#gaps.reduce((sum, { ended, began }) => (ended >= revision ? sum + began - ended - 1 : sum), 0);
  }

  has(revision: number | bigint): boolean {
    return this.around(revision) !== undefined;
  }
}
