import type { PrimaryTime, ReadinessSample, ReadRecord, Sighting, WatchLog, WriteRecord } from '../history.js';

/** Records everything that clients do and see in a run. */
export class Recorder {
  readonly writes: WriteRecord[] = [];
  readonly reads: ReadRecord[] = [];
  readonly watches: WatchLog[] = [];
  readonly readiness: ReadinessSample[] = [];
  /** Times at which PostgreSQL itself accepted a write. */
  readonly databaseWrites: number[] = [];
  /** PUTs answered with 409 although nothing had changed: when, and through which server. */
  readonly refusals: { readonly at: number; readonly server: number; readonly key: string; readonly inARow: number }[] = [];
  /** Which nodes were primaries, independent of their manager. */
  readonly primaries: PrimaryTime[] = [];
  readonly #firstRevisions = new Map<string, number>();
  readonly #origin = performance.now();

  now(): number {
    return this.timeOf(performance.now());
  }

  /** A time of `performance.now()` in this run. */
  timeOf(time: number): number {
    return time - this.#origin;
  }

  /** Records a consistent read of one object. */
  read(server: number, sentAt: number, key: string, state: Sighting | undefined): void {
    this.reads.push({ server, sentAt, answeredAt: this.now(), states: new Map([[key, state]]) });
  }

  /** Records that a node was a primary from one moment to another; extends the period that began at the same moment. */
  primary(node: string, from: number, until: number): void {
    const at = this.primaries.findLastIndex((time) => time.node === node);
    const time = { node, from, until };
    if (this.primaries[at]?.from === from) this.primaries[at] = time;
    else this.primaries.push(time);
  }

  /** Records the holder named by the election's lease. */
  holder({ id, revision }: Sighting): void {
    const known = this.#firstRevisions.get(id);
    if (known === undefined || revision < known) this.#firstRevisions.set(id, revision);
  }

  /** The lowest version of the election's lease that named this holder. */
  firstRevisionOf(holder: string): bigint | undefined {
    const first = this.#firstRevisions.get(holder);
    return first === undefined ? undefined : BigInt(first);
  }
}
