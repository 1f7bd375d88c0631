import { countValues, MAX_VALUES } from '../apimachinery/codec/limits/body-limits.js';
import type { ObjectValue } from './object-store.js';
import { StorageError } from './storage-errors.js';

/** The largest encoded object that a store accepts. */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** How long a read that asks for a minimum revision waits for it (upstream: storage/cacher blockTimeout). */
export const MINIMUM_REVISION_WAIT_MS = 3_000;

/** Limit on delivered but unsent items of a watcher, in bytes. */
export const WATCH_BACKLOG_BYTES = 16 * 1024 * 1024;

/** What a mark for deletion adds, so that the largest object can be marked. */
const VALUES_OF_A_MARK = 100;

/** The error for an object that is too large to be stored. */
export function sizeRefusal({ data, terminating }: ObjectValue): StorageError | undefined {
  // A value takes at least two characters, and a UTF-16 unit at most three bytes, so most objects need not be measured.
  if (data.length <= 2 * MAX_VALUES) return undefined;
  const bytes = Buffer.from(data);
  if (bytes.length > MAX_OBJECT_BYTES) {
    return new StorageError('TooLarge', `an object of ${bytes.length} bytes exceeds the limit of ${MAX_OBJECT_BYTES}`);
  }
  const limit = MAX_VALUES + (terminating ? VALUES_OF_A_MARK : 0);
  if (countValues(bytes, limit) <= limit) return undefined;
  const limitText = `${limit} values, those of managedFields included`;
  return new StorageError('TooLarge', `an object has more than ${limitText}`, { limit: limitText });
}
