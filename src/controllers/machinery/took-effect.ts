import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { RequestContext } from '../../registry/resource/request-context.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import type { StoredObject } from '../../storage/object-store.js';

/** Whether a write took effect: false if somebody was faster, so that the object is gone, or is no longer the one that was judged. */
export async function tookEffect(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 409)) return false;
    throw error;
  }
}

/** Deletes only the state that was judged, so an object that is renewed just then stays. Answers whether it was deleted. */
export function deleteState(context: RequestContext, store: ResourceStore, { key, uid, revision }: StoredObject): Promise<boolean> {
  const target = { version: store.definition.storageVersion, namespace: key.namespace, name: key.name };
  return tookEffect(store.delete(context, target, { dryRun: false, uid, resourceVersion: String(revision) }));
}
