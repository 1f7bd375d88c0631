import { badRequest } from '../apimachinery/errors/status-errors.js';
import type { ObjectMeta } from '../apimachinery/meta/object-meta.js';

/**
 * The body's namespace against the URL's, '' for cluster-scoped resources (apiserver pkg/registry/rest/meta.go): an absent one is
 * filled in, a cluster-scoped object loses its namespace, a different one is a 400.
 */
export function matchNamespace(metadata: ObjectMeta, namespace: string): void {
  if (namespace === '') {
    delete metadata.namespace;
  } else if (metadata.namespace === undefined || metadata.namespace === '') {
    metadata.namespace = namespace;
  } else if (metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** The name of a PUT or patched object against the URL's (apiserver pkg/endpoints/handlers/rest.go checkName). */
export function matchName(metadata: ObjectMeta, name: string): void {
  if (!metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
}
