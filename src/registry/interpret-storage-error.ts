import type { ApiError } from '../apimachinery/errors/api-error.js';
import {
  alreadyExists,
  conflict,
  expired,
  forbidden,
  MODIFIED,
  notFound,
  outcomeUnknown,
  requestEntityTooLarge,
  requestTimeout,
  serviceUnavailable,
  tooLargeResourceVersion,
  tooManyRequests,
} from '../apimachinery/errors/status-errors.js';
import type { GroupResource } from '../apimachinery/schema/group-resource.js';
import { isStorageError } from '../storage/storage-errors.js';
import type { StorageError } from '../storage/storage-errors.js';
import { namespaceNotFound, namespaceTerminating } from './namespace-errors.js';

/** What storage was asked to do, for the words of the answer. */
export interface StorageOperation {
  readonly verb: 'create' | 'delete' | 'get' | 'list' | 'update' | 'watch';
  readonly resource: GroupResource;
  /** Of the object; '' where the operation concerns several. */
  readonly name: string;
  readonly namespace: string;
  /** Upstream has no watch cache for the resource: the words are etcd's. */
  readonly uncached?: boolean;
}

/** The limit that a stored object must keep, as the 413 names it. */
const OBJECT_LIMIT = `limit is ${1536 * 1024}`;

/**
 * The only translation of storage errors into answers (upstream: apiserver pkg/storage/errors/storage.go). Whatever is no
 * StorageError comes back as it is: an ApiError is an answer already, and anything else is a defect for the outermost layer.
 */
export function interpretStorageError(error: unknown, operation: StorageOperation): unknown {
  return isStorageError(error) ? interpret(error, operation) : error;
}

function interpret(error: StorageError, operation: StorageOperation): ApiError {
  const { verb, resource, name, namespace } = operation;
  switch (error.code) {
    case 'Exists':
      return alreadyExists(resource, name);
    case 'NotFound':
      return notFound(resource, name);
    case 'Conflict':
      return conflict(resource, name, MODIFIED);
    case 'ContainerMissing':
      return namespaceNotFound(namespace);
    case 'ContainerTerminating':
      return namespaceTerminating(resource, name, namespace);
    case 'TooLarge':
      return requestEntityTooLarge(OBJECT_LIMIT);
    case 'QuotaExceeded':
      return exceededQuota(error, resource, name);
    case 'Compacted':
      return tooOld(error, operation);
    case 'TooLargeRevision':
      return tooLarge(error, operation);
    case 'TooManyReads':
      return tooManyRequests('Too many lists of earlier revisions are under way, please try again later.', 1);
    case 'Abandoned':
      return requestTimeout();
    case 'Unavailable':
      return serviceUnavailable(resource, verb, error);
    case 'OutcomeUnknown':
      return outcomeUnknown(resource, verb, error);
  }
}

function exceededQuota({ details, message }: StorageError, resource: GroupResource, name: string): ApiError {
  return forbidden(resource, name, `exceeded quota: ${details.limit ?? message}`);
}

/** The text of a watch names the version before the oldest one that there still is (apiserver pkg/storage/cacher/watch_cache.go). */
function tooOld({ details }: StorageError, { verb, uncached = false }: StorageOperation): ApiError {
  if (verb !== 'watch') return expired('The resourceVersion for the provided list is too old.');
  if (details.requested === undefined || uncached) return expired('The resourceVersion for the provided watch is too old.');
  return expired(`too old resource version: ${details.requested} (${Math.max(0, (details.current ?? 1) - 1)})`);
}

/** Only the cache may catch up soon. */
function tooLarge({ details }: StorageError, { uncached = false }: StorageOperation): ApiError {
  return tooLargeResourceVersion(details.requested ?? 0n, details.current ?? 0, uncached ? undefined : 1);
}
