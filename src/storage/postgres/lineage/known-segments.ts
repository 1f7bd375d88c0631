/** The segments that this process has seen; used to exclude partitions that cannot contain a revision. */
export class KnownSegments {
  /** Ascending. */
  #starts: { segment: number; start: number }[] = [];

  /** `start`: the newest revision when the segment started. Ignored unless the segment is newer than all known ones. */
  note(segment: number, start: number): void {
    const newest = this.#starts.at(-1);
    if (newest && newest.segment >= segment) return;
    this.#starts.push({ segment, start });
    if (this.#starts.length > 100) this.#starts = this.#starts.slice(-50);
  }

  /** Clears the segments: another copy of the database may have rotated differently. */
  forget(): void {
    this.#starts = [];
  }

  /** A segment such that no row after this revision is in an earlier one; 0 if unknown. */
  segmentOf(revision: number): number {
    return this.#starts.findLast(({ start }) => start <= revision)?.segment ?? 0;
  }
}
