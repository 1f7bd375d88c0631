import type { ObjectValue } from './object-store.js';
import { StorageError } from './storage-errors.js';

/** The largest encoded object that a store accepts. */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** How long a read that asks for a minimum revision waits for it (upstream: storage/cacher blockTimeout). */
export const MINIMUM_REVISION_WAIT_MS = 3_000;

/** Limit on delivered but unsent items of a watcher, in bytes. */
export const WATCH_BACKLOG_BYTES = 16 * 1024 * 1024;

/** The error for an object that is too large to be stored. */
export function sizeRefusal(value: ObjectValue): StorageError | undefined {
  // A UTF-16 unit takes at most three bytes, so most objects need not be measured.
  if (value.data.length * 3 <= MAX_OBJECT_BYTES) return undefined;
  const bytes = Buffer.byteLength(value.data, 'utf8');
  if (bytes <= MAX_OBJECT_BYTES) return undefined;
  return new StorageError('TooLarge', `an object of ${bytes} bytes exceeds the limit of ${MAX_OBJECT_BYTES}`);
}
