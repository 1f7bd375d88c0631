import { type ElectionRecord, sameRecord } from './election-record.js';

/**
 * The last record seen and when it was first seen, by the local clock. Only this decides whether a lease has expired: the times
 * inside the record come from other machines' clocks, and only their change has a meaning (client-go's leaderelection.go).
 */
export class Observation {
  #record: ElectionRecord | undefined;
  #since = -Infinity;

  get record(): ElectionRecord | undefined {
    return this.#record;
  }

  /** Notes a record that was read; a record equal to the last one keeps its age. */
  saw(record: ElectionRecord, at: number): void {
    if (this.#record && sameRecord(this.#record, record)) return;
    this.#record = record;
    this.#since = at;
  }

  /** Notes a record that this process wrote; its age counts from the sending of the request. */
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
