import { type PathBounds, comparePaths, objectPath } from '../../object-path.js';
import type { StoredObject } from '../../object-store.js';
import { OrderedPaths } from './ordered-paths.js';

/** The objects of one resource at one revision, in order. */
export interface StateView {
  get(path: string): StoredObject | undefined;
  /** Visits objects in order as long as the visitor returns true. */
  scan(bounds: PathBounds, visit: (object: StoredObject, path: string) => boolean): void;
  /** Number of objects within the bounds. */
  count(bounds: PathBounds): number;
}

/** A path and its current object. */
interface Entry {
  readonly path: string;
  object: StoredObject;
}

/** The current objects of one resource. Replacing an object does not affect the order. */
export class ResourceState implements StateView {
  readonly #entries = new Map<string, Entry>();
  readonly #order: OrderedPaths<Entry>;

  /** Without `kept` it stays empty: its objects are kept elsewhere. */
  constructor(
    objects: readonly StoredObject[] = [],
    readonly kept = true,
  ) {
    for (const object of objects) {
      const path = objectPath(object.key);
      this.#entries.set(path, { path, object });
    }
    this.#order = new OrderedPaths([...this.#entries.values()].sort((a, b) => comparePaths(a.path, b.path)));
  }

  get size(): number {
    return this.#entries.size;
  }

  get(path: string): StoredObject | undefined {
    return this.#entries.get(path)?.object;
  }

  /** Adds or replaces the object at this path. */
  set(path: string, object: StoredObject): void {
    const entry = this.#entries.get(path);
    if (entry) {
      entry.object = object;
      return;
    }
    const added = { path, object };
    this.#entries.set(path, added);
    this.#order.add(added);
  }

  delete(path: string): void {
    if (this.#entries.delete(path)) this.#order.delete(path);
  }

  scan({ from, to }: PathBounds, visit: (object: StoredObject, path: string) => boolean): void {
    this.#order.scan(from, to, ({ path, object }) => visit(object, path));
  }

  count({ from, to }: PathBounds): number {
    return Math.max(0, this.#order.countBelow(to) - this.#order.countBelow(from));
  }
}
