import type { ObjectValue } from './object-store.js';
import { StorageError } from './storage-errors.js';

/** The largest encoded object that any store takes. */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** How long a read that asks for a minimum revision waits for it (upstream: storage/cacher blockTimeout). */
export const MINIMUM_REVISION_WAIT_MS = 3_000;

/** Items that a watcher may have been handed without having sent them, in bytes. */
export const WATCH_BACKLOG_BYTES = 16 * 1024 * 1024;

/** Why an object may not be stored, if it is too large. */
export function sizeRefusal(value: ObjectValue, limit = MAX_OBJECT_BYTES): StorageError | undefined {
  // a UTF-16 unit takes at most three bytes, so most objects need no counting
  if (value.data.length * 3 <= limit) return undefined;
  const bytes = Buffer.byteLength(value.data, 'utf8');
  if (bytes <= limit) return undefined;
  return new StorageError('TooLarge', `an object of ${bytes} bytes is more than the limit of ${limit}`);
}
