/** What this process has seen of the segments: enough to leave out partitions that cannot have what is looked for. */
export class KnownSegments {
  /** Ascending. */
  #starts: { segment: number; start: number }[] = [];

  note(segment: number, start: number): void {
    const newest = this.#starts.at(-1);
    if (newest && newest.segment >= segment) return;
    this.#starts.push({ segment, start });
    if (this.#starts.length > 100) this.#starts = this.#starts.slice(-50);
  }

  /** Another copy of the database may have rotated otherwise. */
  forget(): void {
    this.#starts = [];
  }

  /** A segment below which no row after this revision lies; 0 where that is not known. */
  segmentOf(revision: number): number {
    return this.#starts.findLast(({ start }) => start <= revision)?.segment ?? 0;
  }
}
