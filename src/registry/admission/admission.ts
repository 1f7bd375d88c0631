import type { GroupResource } from '../../apimachinery/schema/group-resource.js';

/** A write as admission plugins see it, before its object is validated. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly resource: GroupResource;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  /** The object's name; its generateName while it has none; 'Unknown' without either. */
  readonly name: string;
  readonly dryRun: boolean;
}

/** Looks at a write and rejects with the ApiError to send, or lets it pass. A plugin that need not wait answers nothing. */
export interface AdmissionPlugin {
  /** As --enable-admission-plugins names it. */
  readonly name: string;
  admit(request: AdmissionRequest): void | Promise<void>;
}

/** The plugins of a server, asked one after the other. */
export class AdmissionChain implements AdmissionPlugin {
  readonly name = 'chain';
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  admit(request: AdmissionRequest): void | Promise<void> {
    return this.#from(0, request);
  }

  /** Waits only where a plugin does. */
  #from(first: number, request: AdmissionRequest): void | Promise<void> {
    for (let at = first; at < this.#plugins.length; at++) {
      const admitted = this.#plugins[at]?.admit(request);
      if (admitted) return admitted.then(() => this.#from(at + 1, request));
    }
  }
}
