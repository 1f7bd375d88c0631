import { abandon, isAbandoned } from './pending-write.js';
import type { PendingWrite } from './pending-write.js';

/** Limits on the number of writes and the approximate size of a batch. */
export interface BatchLimits {
  readonly items: number;
  readonly bytes: number;
}

/**
 * Takes the next batch from the front of the queue and leaves the rest in order. Abandoned writes are rejected and never sent.
 *
 * A batch has at most one write per object: two writes with the same expected revision would both see the one row that comes back. Nor may
 * it have both a write of an object and a creation inside it: neither would see the effect of the other.
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
    // Also for a write that is left in the queue, so that no later one overtakes it.
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
