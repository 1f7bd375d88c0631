import type { ApiError } from '../../apimachinery/errors/api-error.js';
import {
  alreadyExists,
  badRequest,
  conflict,
  databaseUnavailable,
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
} from '../../apimachinery/errors/status-errors.js';
import type { GroupResource } from '../../apimachinery/schema/group-resource.js';
import { type StorageError, type StorageErrorCode, isStorageError } from '../../storage/storage-errors.js';
import { namespaceNotFound, namespaceTerminating } from './namespace-errors.js';

/** The storage operation that failed, for the text of the Status. */
export interface StorageOperation {
  readonly verb: 'create' | 'delete' | 'get' | 'list' | 'update' | 'watch';
  readonly resource: GroupResource;
  /** The object's name; '' for operations on several. */
  readonly name: string;
  readonly namespace: string;
  /** Upstream keeps no watch cache for the resource, so the texts are etcd's. */
  readonly uncached?: boolean;
}

/** The size limit of a stored object, as the 413 states it. */
const OBJECT_BYTES = 1536 * 1024;

/**
 * Translates storage errors into Status errors; nothing else does (upstream: apiserver pkg/storage/errors/storage.go). Any error but a
 * StorageError is returned unchanged: an ApiError is ready to send, and everything else is a defect that the outermost layer reports.
 */
export function interpretStorageError(error: unknown, operation: StorageOperation): unknown {
  return isStorageError(error) ? INTERPRETATIONS[error.code](operation, error) : error;
}

const INTERPRETATIONS: Readonly<Record<StorageErrorCode, (operation: StorageOperation, error: StorageError) => ApiError>> = {
  Exists: ({ resource, name }) => alreadyExists(resource, name),
  NotFound: ({ resource, name }) => notFound(resource, name),
  Conflict: ({ resource, name }) => conflict(resource, name, MODIFIED),
  ContainerMissing: ({ namespace }) => namespaceNotFound(namespace),
  ContainerTerminating: ({ resource, name, namespace }) => namespaceTerminating(resource, name, namespace),
  TooLarge: (_, { details }) => requestEntityTooLarge(`limit is ${details.limit ?? OBJECT_BYTES}`),
  QuotaExceeded: ({ resource, name }, { details, message }) => forbidden(resource, name, `exceeded quota: ${details.limit ?? message}`),
  Compacted: tooOld,
  TooLargeRevision: tooLarge,
  TooManyReads: () => tooManyRequests('too many reads of earlier revisions or of terms wait for the database', 1),
  TooBroad: (_, { message }) => badRequest(message),
  BadData: () => badRequest('the request has a text or number that cannot be stored, such as a text with U+0000'),
  Abandoned: () => requestTimeout(),
  Unavailable: ({ resource, verb }, error) =>
    error.details.refused ? databaseUnavailable(resource, verb, error) : serviceUnavailable(resource, verb, error),
  OutcomeUnknown: ({ resource, verb }, error) => outcomeUnknown(resource, verb, error),
};

/** The text for watches names the version just before the oldest one available (apiserver pkg/storage/cacher/watch_cache.go). */
function tooOld({ verb, uncached = false }: StorageOperation, { details }: StorageError): ApiError {
  if (verb !== 'watch') return expired('The resourceVersion for the provided list is too old.');
  if (details.requested === undefined || uncached) return expired('The resourceVersion for the provided watch is too old.');
  return expired(`too old resource version: ${details.requested} (${Math.max(0, (details.current ?? 1) - 1)})`);
}

/** A retry helps with the cache, which may catch up, and with a watch of what is not cached. */
function tooLarge({ verb, uncached = false }: StorageOperation, { details }: StorageError): ApiError {
  return tooLargeResourceVersion(details.requested ?? 0n, details.current ?? 0, uncached && verb !== 'watch' ? undefined : 1);
}
