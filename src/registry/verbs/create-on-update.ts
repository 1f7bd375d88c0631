import { notFound } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { ObjectKey } from '../../storage/object-store.js';
import { isStorageError } from '../../storage/storage-errors.js';
import { checkedVersion } from '../rules/check-resource-version.js';
import { insertObject, prepareNewObject } from './insert-object.js';
import { interpretStorageError } from '../errors/interpret-storage-error.js';
import { checkUpdateUid } from '../rules/preconditions.js';
import { type ResourceScope, operation } from '../scope/resource-scope.js';
import { type Attempt, type UpdateRequest, admittedObject, nextObject } from './update-request.js';

/**
 * Handles an update of a missing object, which PUT and apply may create. Any well-formed resourceVersion is accepted. Throws the 404 if the
 * request may not create; returns 'lost' if somebody else created the object first.
 */
export async function createOnUpdate<T extends KubeObject>(
  scope: ResourceScope<T>,
  request: UpdateRequest,
  key: ObjectKey,
): Promise<Attempt> {
  const { context, target, source, options } = request;
  const isPut = source.mayCreate && source.tracksFields === 'update';
  const mayCreate = source.mayCreate && scope.definition.subresource === undefined;
  if (!mayCreate && !isPut) throw notFound(scope.resource, key.name);
  // upstream checks the body of a PUT, and warns of it, before it looks for the object (apiserver pkg/endpoints/handlers/update.go)
  const sent = nextObject(scope, request, undefined);
  if (!mayCreate || (isPut && !scope.definition.strategy.allowCreateOnUpdate)) throw notFound(scope.resource, key.name);
  checkUpdateUid(scope.resource, key, { uid: source.uid, dryRun: options.dryRun }, undefined);
  const admitted = await admittedObject(scope, request, 'CREATE', undefined, sent);
  checkedVersion(admitted.metadata.resourceVersion);
  const created = prepareNewObject(scope, target.version, admitted, context.user);
  await source.authorizeCreate?.();
  try {
    return { object: await insertObject(scope, created, { dryRun: options.dryRun, requester: context }), created: true };
  } catch (error) {
    if (isStorageError(error, 'Exists')) return 'lost';
    throw interpretStorageError(error, operation(scope, 'create', key));
  }
}
