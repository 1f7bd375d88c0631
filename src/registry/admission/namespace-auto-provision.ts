import type { ObjectStore } from '../../storage/object-store.js';
import { namespaceKey } from '../namespace-key.js';
import type { AdmissionPlugin, AdmissionRequest } from './admission.js';

/** Creates a namespace if it is not there; one that somebody else made meanwhile is fine. */
export type EnsureNamespace = (name: string) => Promise<void>;

/**
 * Creates the namespace of an object that is to be created in a missing one (upstream: the admission plugin of this name). Stands
 * before NamespaceLifecycle. A dry run makes no namespace, so it may then be refused by NamespaceLifecycle.
 */
export class NamespaceAutoProvision implements AdmissionPlugin {
  readonly name = 'NamespaceAutoProvision';
  readonly #objects: ObjectStore;
  readonly #ensure: EnsureNamespace;

  constructor(objects: ObjectStore, ensure: EnsureNamespace) {
    this.#objects = objects;
    this.#ensure = ensure;
  }

  admit({ operation, namespace, dryRun }: AdmissionRequest): void | Promise<void> {
    if (operation !== 'CREATE' || namespace === '' || dryRun) return;
    if (!this.#objects.suggest(namespaceKey(namespace))) return this.#ensure(namespace);
  }
}
