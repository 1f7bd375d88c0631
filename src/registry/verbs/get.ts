import { badRequest, notFound } from '../../apimachinery/errors/status-errors.js';
import type { GetOptions } from '../../apimachinery/meta/options/request-options.js';
import type { Consistency, StoredObject } from '../../storage/object-store.js';
import { interpretStorageError } from '../interpret-storage-error.js';
import { invalidVersionText, parseVersion } from '../request-version.js';
import type { ResourceScope } from '../resource-scope.js';
import { namespaceOf, objectKey, operation } from '../resource-scope.js';
import type { RequestTarget } from '../resource-store.js';

/** GET of one object (apiserver registry/generic/registry/store.go Get). */
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

/** Upstream answers 500 to a malformed version, etcd in more words than the cache. */
function getConsistency(text: string, prefix: string): Consistency {
  if (text === '') return { kind: 'latest' };
  const revision = parseVersion(text, (problem) => badRequest(prefix + invalidVersionText(text, problem)));
  return revision === 0n ? { kind: 'any' } : { kind: 'notOlderThan', revision };
}
