import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { isStorageError } from '../../storage/storage-errors.js';

/** History ends a watch in the course of things, as after `bump-revision`: the controller lists and watches again. */
export function logWatchEnd(logger: Logger, error: Error, resource: string): void {
  const isExpired = (error instanceof ApiError && error.code === 410) || isStorageError(error, 'Compacted');
  if (isExpired) logger.debug({ resource, reason: error.message }, 'controller watch expired; relisting');
  else logger.warn({ err: error, resource }, 'controller watch ended');
}
