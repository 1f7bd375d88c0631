import type { PathBounds } from '../object-path.js';
import { comparePaths, objectPath } from '../object-path.js';
import type { StoredObject } from '../object-store.js';
import { OrderedPaths } from './ordered-paths.js';

/** The objects of one resource at one revision, in order. */
export interface StateView {
  get(path: string): StoredObject | undefined;
  /** Visits objects in order while the visitor answers true. */
  scan(bounds: PathBounds, visit: (object: StoredObject, path: string) => boolean): void;
  count(bounds: PathBounds): number;
}

/** The current objects of one resource. Replacing an object leaves the order alone. */
export class ResourceState implements StateView {
  readonly #objects = new Map<string, StoredObject>();
  readonly #order: OrderedPaths;

  constructor(objects: readonly StoredObject[] = []) {
    for (const object of objects) this.#objects.set(objectPath(object.key), object);
    this.#order = new OrderedPaths([...this.#objects.keys()].sort(comparePaths));
  }

  get size(): number {
    return this.#objects.size;
  }

  get(path: string): StoredObject | undefined {
    return this.#objects.get(path);
  }

  set(path: string, object: StoredObject): void {
    if (!this.#objects.has(path)) this.#order.add(path);
    this.#objects.set(path, object);
  }

  delete(path: string): void {
    if (this.#objects.delete(path)) this.#order.delete(path);
  }

  scan({ from, to }: PathBounds, visit: (object: StoredObject, path: string) => boolean): void {
    this.#order.scan(from, (path) => {
      if (to !== undefined && comparePaths(path, to) >= 0) return false;
      return visit(this.#objects.get(path) as StoredObject, path);
    });
  }

  count({ from, to }: PathBounds): number {
    return Math.max(0, this.#order.countBelow(to) - this.#order.countBelow(from));
  }
}
