/** How long a batch with patient writes may take, since others wait for it. */
const TARGET_MS = 6;
const FEWEST = 10;
const MOST = 400;
/** How fast the number grows while batches are full and fast. */
const GROWTH = 1.1;

/** How many patient writes one batch has, by how long earlier ones took. */
export class PatientShare {
  #items = 4 * FEWEST;

  get items(): number {
    return Math.floor(this.#items);
  }

  /** A batch of this many took this long. A slow one at most halves the number: it may have waited for the disk rather than for its writes. */
  took(items: number, ms: number): void {
    const factor = ms > TARGET_MS ? Math.max(0.5, TARGET_MS / ms) : items < this.items ? 1 : GROWTH;
    this.#items = Math.min(MOST, Math.max(FEWEST, this.#items * factor));
  }
}
