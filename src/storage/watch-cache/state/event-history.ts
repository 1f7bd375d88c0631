import type { StoreEvent } from '../../object-store.js';

/** Batches that arrive within this many milliseconds share one entry. */
const COALESCE_MS = 1_000;
const COALESCE_EVENTS = 256;
/** Memory of an event besides its data: its own fields, the object's and the key's. */
const EVENT_OVERHEAD_BYTES = 300;

interface Batch {
  revision: number;
  readonly events: StoreEvent[];
  readonly at: number;
  bytes: number;
}

/** Limits on the retained history. */
export interface HistoryLimits {
  /** How long events are kept, unless `maxBytes` is exceeded. */
  readonly historyMs: number;
  readonly maxBytes: number;
}

/**
 * The latest changes of all resources. Valid from `oldest` on: every event with a higher revision is in it. Whole batches are dropped from
 * the front once they are too old or take too much memory.
 */
export class EventHistory {
  readonly #limits: HistoryLimits;
  #batches: Batch[] = [];
  /** Index of the first valid batch; the dropped ones before it are removed from time to time. */
  #first = 0;
  #bytes = 0;
  #oldest = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  get oldest(): number {
    return this.#oldest;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Starts over: `events` are all changes after `oldest`. */
  reset(oldest: number, events: readonly StoreEvent[], now: number): void {
    this.#batches = [];
    this.#first = this.#bytes = 0;
    this.#oldest = oldest;
    for (let i = 0; i < events.length; i += COALESCE_EVENTS) this.append(events.slice(i, i + COALESCE_EVENTS), now);
  }

  /** Adds events, which must be newer than all others, and drops old ones. `now`: milliseconds by any steady clock. */
  append(events: readonly StoreEvent[], now: number): void {
    const revision = events.at(-1)?.revision;
    if (revision !== undefined) {
      const batch = this.#openBatch(events.length, now);
      for (const event of events) batch.events.push(event);
      batch.revision = revision;
      const bytes = events.reduce((sum, event) => sum + event.object.data.length + EVENT_OVERHEAD_BYTES, 0);
      batch.bytes += bytes;
      this.#bytes += bytes;
    }
    this.#trim(now);
  }

  /** Ends validity below this revision. */
  forget(revision: number): void {
    while ((this.#batches[this.#first]?.revision ?? Infinity) <= revision) this.#dropFirst();
    this.#oldest = Math.max(this.#oldest, revision);
  }

  /** Visits the events after this revision in order, as long as the visitor returns true. */
  scan(after: number, visit: (event: StoreEvent) => boolean): void {
    for (let at = this.#batchAfter(after); at < this.#batches.length; at++) {
      for (const event of this.#batches[at]?.events ?? []) {
        if (event.revision > after && !visit(event)) return;
      }
    }
  }

  #openBatch(events: number, now: number): Batch {
    const last = this.#first < this.#batches.length ? this.#batches.at(-1) : undefined;
    if (last && now - last.at < COALESCE_MS && last.events.length + events <= COALESCE_EVENTS) return last;
    const batch: Batch = { revision: 0, events: [], at: now, bytes: 0 };
    this.#batches.push(batch);
    return batch;
  }

  #trim(now: number): void {
    for (let batch = this.#batches[this.#first]; batch; batch = this.#batches[this.#first]) {
      if (this.#bytes <= this.#limits.maxBytes && now - batch.at <= this.#limits.historyMs) break;
      this.#dropFirst();
    }
  }

  #dropFirst(): void {
    const batch = this.#batches[this.#first] as Batch;
    this.#bytes -= batch.bytes;
    this.#oldest = batch.revision;
    this.#batches[this.#first++] = DROPPED;
    if (this.#first > 1_000 && this.#first * 2 > this.#batches.length) {
      this.#batches.splice(0, this.#first);
      this.#first = 0;
    }
  }

  /** Index of the first batch with events after this revision. */
  #batchAfter(revision: number): number {
    let low = this.#first;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#batches[middle] as Batch).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const DROPPED: Batch = { revision: 0, events: [], at: 0, bytes: 0 };
