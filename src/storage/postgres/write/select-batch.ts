import { abandon, isAbandoned } from './pending-write.js';
import type { PendingWrite } from './pending-write.js';

/** The most writes, and about the most bytes, of a batch. */
export interface BatchLimits {
  readonly items: number;
  readonly bytes: number;
}

/**
 * Takes the next batch from the front of the queue and leaves the rest in its order. Abandoned writes are rejected and never sent.
 *
 * At most one write per object: two racers on one expected revision would both see the one row that comes back. Nor may a write of an
 * object share a batch with a creation inside it: neither would see what the other does to the object.
 */
export function selectBatch(queue: PendingWrite[], limits: BatchLimits): PendingWrite[] {
  const batch: PendingWrite[] = [];
  const written = new Set<string>();
  const containers = new Set<string>();
  let bytes = 0;
  let kept = 0;
  let at = 0;
  const now = performance.now();
  for (; at < queue.length && batch.length < limits.items; at++) {
    const write = queue[at] as PendingWrite;
    const { lock, containerLock } = write;
    if (isAbandoned(write, now)) {
      abandon(write);
      continue;
    }
    const wait = written.has(lock) || containers.has(lock) || (containerLock !== undefined && written.has(containerLock));
    if (!wait && batch.length > 0 && bytes + write.bytes > limits.bytes) break;
    // also for one that waits, so that no later one overtakes it
    written.add(lock);
    if (wait) {
      queue[kept++] = write;
      continue;
    }
    if (containerLock !== undefined) containers.add(containerLock);
    batch.push(write);
    bytes += write.bytes;
  }
  queue.copyWithin(kept, at);
  queue.length -= at - kept;
  return batch;
}
