import { type PendingWrite, abandon, isAbandoned } from './pending-write.js';

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
