import { StorageError } from './storage-errors.js';

/** History back to `requested` is gone; `oldest` is the oldest revision that can still be had. */
export function compactedError(requested: bigint | number, oldest: number): StorageError {
  return new StorageError('Compacted', `revision ${requested} is compacted, the oldest is ${oldest}`, {
    requested: BigInt(requested),
    current: oldest,
  });
}

/** `requested` lies in the future. */
export function tooLargeRevisionError(requested: bigint, current: number): StorageError {
  return new StorageError('TooLargeRevision', `revision ${requested} is in the future, the newest is ${current}`, {
    requested,
    current,
  });
}
