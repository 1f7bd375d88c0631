import type { ObjectKey, ObjectStore, StoredObject } from '../../storage/object-store.js';
import { interpretStorageError } from '../interpret-storage-error.js';
import { namespaceKey } from '../namespace-key.js';
import { namespaceNotFound, namespaceTerminating } from '../namespace-errors.js';
import type { AdmissionPlugin, AdmissionRequest } from './admission.js';

/**
 * Objects may be written in existing namespaces and created in those that are not being deleted. The cache answers first; what it
 * does not know is read anew. Creation is race-free all the same, since the store checks the namespace at commit.
 */
export class NamespaceLifecycle implements AdmissionPlugin {
  readonly name = 'NamespaceLifecycle';
  readonly #objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  admit(request: AdmissionRequest): void | Promise<void> {
    if (request.namespace === '') return;
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

function check({ operation, resource, namespace, name }: AdmissionRequest, found: StoredObject | undefined): void {
  if (!found) throw namespaceNotFound(namespace);
  if (found.terminating && operation === 'CREATE') throw namespaceTerminating(resource, name, namespace);
}
