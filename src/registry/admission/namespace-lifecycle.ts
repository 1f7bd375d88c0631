import type { ObjectKey, ObjectStore, StoredObject } from '../../storage/object-store.js';
import { interpretStorageError } from '../errors/interpret-storage-error.js';
import { namespaceKey } from '../objects/namespace-key.js';
import { namespaceNotFound, namespaceTerminating } from '../errors/namespace-errors.js';
import type { AdmissionPlugin, AdmissionRequest } from './admission.js';

/**
 * Requires that the namespace of a create exists and is not terminating. Asks the cache first and reads the latest state if the cache has no
 * entry. Creates are race-free even so, because the store checks the namespace again at commit. Updates are always allowed: what is left in
 * a namespace that is gone can be freed of its finalizers (apiserver admission/plugin/namespace/lifecycle).
 */
export class NamespaceLifecycle implements AdmissionPlugin {
  readonly #objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  admit(request: AdmissionRequest): void | Promise<void> {
    if (request.namespace === '' || request.operation === 'UPDATE') return;
    const key = namespaceKey(request.namespace);
    const known = this.#objects.suggest(key);
    if (known) return check(request, known);
    return this.#read(key).then((found) => check(request, found));
  }

  async #read(key: ObjectKey): Promise<StoredObject | undefined> {
    try {
      return (await this.#objects.get(key, { kind: 'latest' })).object;
    } catch (error) {
      throw interpretStorageError(error, { verb: 'get', resource: { group: '', resource: 'namespaces' }, name: key.name, namespace: '' });
    }
  }
}

function check({ resource, namespace, name }: AdmissionRequest, found: StoredObject | undefined): void {
  if (!found) throw namespaceNotFound(namespace);
  if (found.terminating) throw namespaceTerminating(resource, name, namespace);
}
