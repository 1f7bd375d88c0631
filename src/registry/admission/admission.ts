import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { GroupResource } from '../../apimachinery/schema/group-resource.js';
import type { ObjectKey, ObjectStore, StoredObject } from '../../storage/object-store.js';
import { interpretStorageError, namespaceNotFound, namespaceTerminating } from '../errors/interpret-storage-error.js';
import { namespaceKey } from '../objects/object-values.js';

/** A write as admission plugins see it, before validation. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly resource: GroupResource;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  /** The object's name, else its generateName, else 'Unknown'. */
  readonly name: string;
  readonly dryRun: boolean;
}

/** Admits a write, or rejects it with the ApiError to send. Returns a promise only if it has to wait. */
export interface AdmissionPlugin {
  admit(request: AdmissionRequest): void | Promise<void>;
}

/** The server's plugins, called in order; the first rejection wins. */
export class AdmissionChain implements AdmissionPlugin {
  readonly #plugins: AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[] = []) {
    this.#plugins = [...plugins];
  }

  /** Appends a plugin, which is called after the existing ones. */
  add(plugin: AdmissionPlugin): void {
    this.#plugins.push(plugin);
  }

  admit(request: AdmissionRequest): void | Promise<void> {
    return this.#from(0, request);
  }

  /** Returns a promise only if a plugin does. */
  #from(first: number, request: AdmissionRequest): void | Promise<void> {
    for (let at = first; at < this.#plugins.length; at++) {
      const admitted = this.#plugins[at]?.admit(request);
      if (admitted) return admitted.then(() => this.#from(at + 1, request));
    }
  }
}

/** Asks admission about a write of `object`. Throws or rejects with the ApiError to send; a promise only if a plugin has to wait. */
export function admit(
  { admission, resource }: { readonly admission: AdmissionPlugin; readonly resource: GroupResource },
  operation: AdmissionRequest['operation'],
  object: KubeObject,
  namespace: string,
  dryRun: boolean,
): void | Promise<void> {
  const { name, generateName } = object.metadata;
  return admission.admit({ operation, resource, namespace, name: name || generateName || 'Unknown', dryRun });
}

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
