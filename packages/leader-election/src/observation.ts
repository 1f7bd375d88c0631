import type { ElectionRecord } from './election-record.js';
import { sameRecord } from './election-record.js';

/**
 * The last record seen and when it was first seen, by the local clock. Whether a lease has run out is judged by this alone: the times
 * inside the record come from other machines' clocks, and only their change means anything (client-go's leaderelection.go).
 */
export class Observation {
  #record: ElectionRecord | undefined;
  #since = -Infinity;

  get record(): ElectionRecord | undefined {
    return this.#record;
  }

  /** A record that was read; one that is the same as before is as old as it was. */
  saw(record: ElectionRecord, at: number): void {
    if (this.#record && sameRecord(this.#record, record)) return;
    this.#record = record;
    this.#since = at;
  }

  /** A record of our own, as old as the request that wrote it. */
  wrote(record: ElectionRecord, at: number): void {
    this.#record = record;
    this.#since = at;
  }

  expired(now: number): boolean {
    return this.#record === undefined || now >= this.#since + this.#record.leaseDurationSeconds * 1000;
  }

  /** Milliseconds since the record was first seen. */
  age(now: number): number {
    return now - this.#since;
  }
}
