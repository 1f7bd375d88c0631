import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { GroupResource } from '../../apimachinery/schema/group-resource.js';

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
