import { keyAfter } from '../../continue-token.js';
import { type PathBounds, comparePaths, objectPath, pathBounds } from '../../object-path.js';
import type { KeyRange, ListOptions, ListResult, StoredObject } from '../../object-store.js';

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

/** Reads one page of a state. The cost depends on the page, not on the number of objects. */
export function readPage(view: StateView, revision: number, range: KeyRange, options: ListOptions): ListResult {
  const { predicate, start, limit = 0 } = options;
  const bounds = pathBounds(range, start);
  const objects: StoredObject[] = [];
  let last = '';
  view.scan(bounds, (object, path) => {
    if (predicate && !predicate(object)) return true;
    last = path;
    return objects.push(object) !== limit;
  });
  const full = limit > 0 && objects.length === limit;
  const remaining = full ? view.count({ from: keyAfter(last), to: bounds.to }) : 0;
  return { objects, revision, more: remaining > 0, remaining: predicate ? undefined : remaining };
}

const MAX_CHUNK = 512;

export interface PathEntry {
  readonly path: string;
}

/**
 * Entries sorted by path, in chunks: seeking takes two binary searches, adding and deleting move the entries of at most one chunk, and
 * counting reads only the chunks. Invariant: chunks are sorted and not empty, and every entry of a chunk is below those of the next.
 */
export class OrderedPaths<E extends PathEntry> {
  #chunks: E[][] = [];

  /** `sorted` must not contain duplicates. */
  constructor(sorted: readonly E[] = []) {
    // Half full, so that the first additions do not split every chunk.
    for (let i = 0; i < sorted.length; i += MAX_CHUNK / 2) this.#chunks.push(sorted.slice(i, i + MAX_CHUNK / 2));
  }

  /** The path must not exist yet. */
  add(entry: E): void {
    const at = this.#chunkOf(entry.path);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push([entry]);
      return;
    }
    chunk.splice(lowerBound(chunk, entry.path), 0, entry);
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(MAX_CHUNK / 2));
  }

  /** Does nothing if the path does not exist. */
  delete(path: string): void {
    const at = this.#chunkOf(path);
    const chunk = this.#chunks[at];
    const index = chunk ? lowerBound(chunk, path) : 0;
    if (chunk?.[index]?.path !== path) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Visits the entries from this path on, in order, as long as they are below `to` and the visitor returns true. */
  scan(from: string, to: string | undefined, visit: (entry: E) => boolean): void {
    const first = this.#chunkOf(from);
    for (let at = first; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? [];
      const reaches = to !== undefined && comparePaths(chunk[chunk.length - 1]?.path ?? '', to) >= 0;
      const end = reaches ? lowerBound(chunk, to) : chunk.length;
      for (let i = at === first ? lowerBound(chunk, from) : 0; i < end; i++) {
        if (!visit(chunk[i] as E)) return;
      }
      if (reaches) return;
    }
  }

  /** Number of paths below this one; without a path, of all. */
  countBelow(path?: string): number {
    const at = path === undefined ? this.#chunks.length : this.#chunkOf(path);
    let count = 0;
    for (let i = 0; i < at; i++) count += this.#chunks[i]?.length ?? 0;
    const chunk = this.#chunks[at];
    return path === undefined || !chunk ? count : count + lowerBound(chunk, path);
  }

  /** The last chunk that starts at or below the path, or else the first one. */
  #chunkOf(path: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (comparePaths(this.#chunks[middle]?.[0]?.path ?? '', path) <= 0) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Index of the first entry that is not below the path. */
function lowerBound(sorted: readonly PathEntry[], path: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePaths((sorted[middle] as PathEntry).path, path) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
