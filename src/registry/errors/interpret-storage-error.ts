import { ApiError } from '../../apimachinery/errors/api-error.js';
import {
  MODIFIED,
  alreadyExists,
  badRequest,
  conflict,
  databaseUnavailable,
  expired,
  forbidden,
  methodNotAllowed,
  notFound,
  outcomeUnknown,
  requestEntityTooLarge,
  requestTimeout,
  serviceUnavailable,
  tooLargeResourceVersion,
  tooManyRequests,
} from '../../apimachinery/errors/status-errors.js';
import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import { type GroupResource, qualifiedResource } from '../../apimachinery/schema/group-resource.js';
import { type StorageError, type StorageErrorCode, isStorageError } from '../../storage/storage-errors.js';

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

const NAMESPACES: GroupResource = { group: '', resource: 'namespaces' };

/** The 404 for a write into a missing namespace. */
export function namespaceNotFound(namespace: string): ApiError {
  return notFound(NAMESPACES, namespace);
}

/** The 403 for a create in a terminating namespace (apiserver pkg/admission/plugin/namespace/lifecycle). */
export function namespaceTerminating(resource: GroupResource, name: string, namespace: string): ApiError {
  const reason = `unable to create new content in namespace ${namespace} because it is being terminated`;
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${qualifiedResource(resource)} "${name}" is forbidden: ${reason}`,
    details: {
      ...omitEmpty({ name, group: resource.group, kind: resource.resource }),
      causes: [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
    },
  });
}

/** A verb of a store that no route reaches. */
export function refuse(): Promise<never> {
  return Promise.reject(methodNotAllowed());
}
