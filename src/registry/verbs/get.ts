import { badRequest, notFound } from '../../apimachinery/errors/status-errors.js';
import type { GetOptions } from '../../apimachinery/options/query-options.js';
import type { Consistency, StoredObject } from '../../storage/object-store.js';
import { interpretStorageError } from '../errors/interpret-storage-error.js';
import { invalidVersionText, parseVersion } from '../rules/preconditions.js';
import { type ResourceScope, namespaceOf, objectKey, operation } from '../scope/resource-scope.js';
import type { RequestTarget } from '../resource/resource-store.js';

/**
 * GET of one object (apiserver registry/generic/registry/store.go Get). Rejects with 404 if it does not exist, and with 504 if the
 * requested resourceVersion does not arrive in time.
 */
export async function getObject(scope: ResourceScope, target: RequestTarget, options: GetOptions): Promise<StoredObject> {
  const key = objectKey(scope, namespaceOf(scope, target), target.name);
  const consistency = getConsistency(options.resourceVersion, scope.definition.uncached ? 'invalid resource version: ' : '');
  try {
    const { object } = await scope.objects.get(key, consistency);
    if (object) return object;
  } catch (error) {
    throw interpretStorageError(error, operation(scope, 'get', key));
  }
  throw notFound(scope.resource, key.name);
}

/** Throws a 400 for a malformed version, where upstream answers 500; `prefix` is what etcd's text has and the cache's has not. */
function getConsistency(text: string, prefix: string): Consistency {
  if (text === '') return { kind: 'latest' };
  const revision = parseVersion(text, (problem) => badRequest(prefix + invalidVersionText(text, problem)));
  return revision === 0n ? { kind: 'any' } : { kind: 'notOlderThan', revision };
}
