import type { StoredObject } from '../../object-store.js';

/** Number of objects, and total size of their encodings in UTF-16 code units, which are bytes for ASCII. */
export interface Usage {
  objects: number;
  bytes: number;
}

/** Number and size of the current objects: in total, by namespace and by resource. */
export class UsageStatistics {
  readonly total: Usage = { objects: 0, bytes: 0 };
  readonly #namespaces = new Map<string, Usage>();
  readonly #resources = new Map<string, Usage>();

  /** The usage of a namespace; zeros if it is empty. */
  of(namespace: string): Readonly<Usage> {
    return this.#namespaces.get(namespace) ?? { objects: 0, bytes: 0 };
  }

  /** The usage of a resource; undefined if it never had an object. */
  ofResource(resource: string): Readonly<Usage> | undefined {
    return this.#resources.get(resource);
  }

  /** Accounts for the change of an object from one state to another; undefined means absent. */
  replace(before: StoredObject | undefined, after: StoredObject | undefined): void {
    const { namespace, resource } = (before ?? after)?.key ?? { namespace: '', resource: '' };
    const objects = (after ? 1 : 0) - (before ? 1 : 0);
    const bytes = (after?.data.length ?? 0) - (before?.data.length ?? 0);
    this.add(namespace, objects, bytes);
    this.#addToResource(resource, objects, bytes);
  }

  /** Adds these numbers, which may be negative, to the total and to a namespace ('' for cluster-scoped objects), but to no resource. */
  add(namespace: string, objects: number, bytes: number): void {
    this.total.objects += objects;
    this.total.bytes += bytes;
    if (namespace === '') return;
    const usage = this.#namespaces.get(namespace) ?? { objects: 0, bytes: 0 };
    usage.objects += objects;
    usage.bytes += bytes;
    if (usage.objects === 0 && usage.bytes === 0) this.#namespaces.delete(namespace);
    else this.#namespaces.set(namespace, usage);
  }

  /** There are few resources, so entries that drop to zero are kept. */
  #addToResource(resource: string, objects: number, bytes: number): void {
    const usage = this.#resources.get(resource);
    if (!usage) this.#resources.set(resource, { objects, bytes });
    else {
      usage.objects += objects;
      usage.bytes += bytes;
    }
  }
}
