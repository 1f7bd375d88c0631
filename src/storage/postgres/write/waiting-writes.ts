import type { Scheduler } from '../../../time/scheduler.js';
import { type PendingWrite, abandon, isAbandoned } from './pending-write.js';

/**
 * Writes that wait for a batch. One has all prompt writes that are there, and as many patient ones (Requester) beside them as do not make it
 * slow, since the writes that arrive meanwhile wait for its commit.
 */
export class WaitingWrites {
  readonly #prompt: PendingWrite[] = [];
  readonly #patient: PendingWrite[] = [];
  readonly #share = new PatientShare();
  /** The first moment at which one of them may wait no longer. */
  #due = Infinity;
  /** When the first of them was submitted. */
  #oldest = Infinity;

  get length(): number {
    return this.#prompt.length + this.#patient.length;
  }

  add(write: PendingWrite): void {
    this.#queueOf(write).push(write);
    this.#due = Math.min(this.#due, write.since + (write.mayWaitMs ?? 0));
    this.#oldest = Math.min(this.#oldest, write.since);
  }

  /** When a batch has to be sent, if none of its writes waits for longer than this, nor for longer than it may. */
  dueAfter(longestMs: number): number {
    return Math.min(this.#due, this.#oldest + longestMs);
  }

  includes(lock: string): boolean {
    return this.#prompt.some((write) => write.lock === lock) || this.#patient.some((write) => write.lock === lock);
  }

  /** Puts writes of a batch in front of all others, in their order. */
  putBack(batch: readonly PendingWrite[]): void {
    this.#due = -Infinity;
    this.#patient.unshift(...batch.filter(isPatient));
    this.#prompt.unshift(...batch.filter((write) => !isPatient(write)));
  }

  /** Takes the next batch. It is empty if all writes that it might have had were abandoned. */
  next(limits: BatchLimits): PendingWrite[] {
    const selection = new BatchSelection(limits);
    selection.takeFrom(this.#prompt);
    selection.takeFrom(this.#patient, this.#share.items);
    this.#due = this.#oldest = this.length > 0 ? -Infinity : Infinity;
    return selection.batch;
  }

  /** A batch, whose patient writes are the last ones, was committed in this time. */
  took(batch: readonly PendingWrite[], ms: number): void {
    const first = batch.findIndex(isPatient);
    if (first >= 0) this.#share.took(batch.length - first, ms);
  }

  takeAll(): PendingWrite[] {
    this.#due = this.#oldest = Infinity;
    return [...this.#prompt.splice(0), ...this.#patient.splice(0)];
  }

  #queueOf(write: PendingWrite): PendingWrite[] {
    return isPatient(write) ? this.#patient : this.#prompt;
  }
}

function isPatient(write: PendingWrite | undefined): boolean {
  return write?.requester?.isPatient === true;
}

/** Limits on the number of writes and the approximate size of a batch. */
export interface BatchLimits {
  readonly items: number;
  readonly bytes: number;
}

/**
 * Takes a batch from the fronts of queues and leaves the rest in order. Abandoned writes are rejected and never sent.
 *
 * A batch has at most one write per object: two writes with the same expected revision would both see the one row that comes back. Nor may
 * it have both a write of an object and a creation inside it: neither would see the effect of the other.
 */
export class BatchSelection {
  readonly batch: PendingWrite[] = [];
  readonly #limits: BatchLimits;
  readonly #written = new Set<string>();
  readonly #containers = new Set<string>();
  readonly #now = performance.now();
  #bytes = 0;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  /** Takes at most this many from one queue. */
  takeFrom(queue: PendingWrite[], most = this.#limits.items): void {
    const written = this.#written;
    const end = Math.min(this.#limits.items, this.batch.length + most);
    let kept = 0;
    let at = 0;
    for (; at < queue.length && this.batch.length < end; at++) {
      const write = queue[at] as PendingWrite;
      const { lock, containerLock } = write;
      if (isAbandoned(write, this.#now)) {
        abandon(write);
        continue;
      }
      const wait = written.has(lock) || this.#containers.has(lock) || (containerLock !== undefined && written.has(containerLock));
      if (!wait && this.batch.length > 0 && this.#bytes + write.bytes > this.#limits.bytes) break;
      // Also for a write that is left in the queue, so that no later one overtakes it.
      written.add(lock);
      if (wait) {
        queue[kept++] = write;
        continue;
      }
      if (containerLock !== undefined) this.#containers.add(containerLock);
      this.batch.push(write);
      this.#bytes += write.bytes;
    }
    queue.copyWithin(kept, at);
    queue.length -= at - kept;
  }
}

/** How long a batch with patient writes may take, since others wait for it. */
const TARGET_MS = 6;
const FEWEST = 10;
const MOST = 400;
/** How fast the number grows while batches are full and fast. */
const GROWTH = 1.1;

/** How many patient writes one batch has, by how long earlier ones took. */
class PatientShare {
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

/** Over how many delays the rate of arrivals is judged. */
const DELAYS = 8;
/** A batch of so many costs little more for each write than a larger one. */
const ENOUGH = 8;

/**
 * Puts off a batch whose writes may all wait, such as renewals, while company is likely (PostgreSQL's commit_delay and commit_siblings): where
 * writes of other objects arrived lately at a rate at which more will come within the delay. It ends as soon as as many are there as were to
 * be expected, and at once for a write that may not wait as long. A client that is alone never waits.
 */
export class CommitDelay {
  readonly #longestMs: number;
  readonly #scheduler: Scheduler;
  /** The last arrivals, in a ring. */
  readonly #recent: { lock: string; at: number }[] = [];
  #arrivals = 0;
  /** Ends the delay under way. */
  #end: (() => void) | undefined;
  #wanted = 0;
  #until = 0;

  constructor(longestMs: number, scheduler: Scheduler) {
    this.#longestMs = longestMs;
    this.#scheduler = scheduler;
  }

  /** A write has been added to the queue. */
  arrived({ lock }: PendingWrite, queue: WaitingWrites): void {
    if (this.#longestMs === 0) return;
    const at = this.#scheduler.now();
    this.#recent[this.#arrivals++ % (DELAYS * ENOUGH)] = { lock, at };
    if (this.#end && (queue.length >= this.#wanted || queue.dueAfter(this.#longestMs) < this.#until)) this.#end();
  }

  /** Resolves when a batch is to be sent; undefined: at once. */
  before(queue: WaitingWrites): Promise<void> | undefined {
    if (this.#longestMs === 0 || queue.length >= ENOUGH) return undefined;
    const now = this.#scheduler.now();
    this.#until = queue.dueAfter(this.#longestMs);
    if (this.#until <= now) return undefined;
    this.#wanted = this.#expected(queue, now);
    if (queue.length >= this.#wanted) return undefined;
    return new Promise((resolve) => {
      const cancel = this.#scheduler.after(this.#until - now, () => this.end());
      this.#end = () => {
        cancel();
        this.#end = undefined;
        resolve();
      };
    });
  }

  end(): void {
    this.#end?.();
  }

  /** How many writes a batch is likely to have after the longest delay, the ones that wait included. */
  #expected(queue: WaitingWrites, now: number): number {
    const since = now - DELAYS * this.#longestMs;
    const objects = new Set<string>();
    let others = 0;
    for (const { lock, at } of this.#recent) {
      if (at < since || queue.includes(lock)) continue;
      others += 1;
      objects.add(lock);
    }
    return Math.min(ENOUGH, queue.length + Math.min(objects.size, Math.floor(others / DELAYS)));
  }
}
