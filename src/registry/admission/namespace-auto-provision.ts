import type { ObjectStore } from '../../storage/object-store.js';
import { namespaceKey } from '../objects/namespace-key.js';
import type { AdmissionPlugin, AdmissionRequest } from './admission.js';

/** Creates a namespace unless it exists; losing a race to another creator is fine. */
export type EnsureNamespace = (name: string) => Promise<void>;

/**
 * Creates the missing namespace of a new object (upstream: the admission plugin of this name). Must come before NamespaceLifecycle. A dry
 * run creates nothing, so NamespaceLifecycle may then reject it.
 */
export class NamespaceAutoProvision implements AdmissionPlugin {
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
