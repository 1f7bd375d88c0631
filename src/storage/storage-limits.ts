import type { ObjectValue } from './object-store.js';
import { StorageError } from './storage-errors.js';

/** The largest encoded object that any store takes. */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** How long a read that asks for a minimum revision waits for it (upstream: storage/cacher blockTimeout). */
export const MINIMUM_REVISION_WAIT_MS = 3_000;

/** Items that a watcher may have been handed without having sent them, in bytes. */
export const WATCH_BACKLOG_BYTES = 16 * 1024 * 1024;

export function checkObjectSize(value: ObjectValue, limit = MAX_OBJECT_BYTES): void {
  // a UTF-16 unit takes at most three bytes, so most objects need no counting
  if (value.data.length * 3 <= limit) return;
  const bytes = Buffer.byteLength(value.data, 'utf8');
  if (bytes > limit) {
    throw new StorageError('TooLarge', `an object of ${bytes} bytes is more than the limit of ${limit}`);
  }
}
