import type { StoredObject } from '../object-store.js';

export interface Usage {
  objects: number;
  bytes: number;
}

/** How many objects there are and how much they take, in total and by namespace. */
export class UsageStatistics {
  readonly total: Usage = { objects: 0, bytes: 0 };
  readonly #namespaces = new Map<string, Usage>();

  of(namespace: string): Readonly<Usage> {
    return this.#namespaces.get(namespace) ?? { objects: 0, bytes: 0 };
  }

  /** An object changed from one state to another; undefined where there is none. */
  replace(before: StoredObject | undefined, after: StoredObject | undefined): void {
    const namespace = (before ?? after)?.key.namespace ?? '';
    this.add(namespace, (after ? 1 : 0) - (before ? 1 : 0), (after?.data.length ?? 0) - (before?.data.length ?? 0));
  }

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
}
