import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { ObjectMeta } from '../../apimachinery/meta/object-meta.schema.js';

/**
 * Reconciles the body's namespace with the URL's, which is '' for cluster-scoped resources: an absent one is filled in, a cluster-scoped
 * object loses its own, a different one is a 400 (apiserver pkg/registry/rest/meta.go).
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

/** Checks the name in the body of a PUT or patch against the URL's; throws the 400 (apiserver pkg/endpoints/handlers/rest.go checkName). */
export function matchName(metadata: ObjectMeta, name: string): void {
  if (!metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
}
