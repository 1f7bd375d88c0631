import { comparePaths } from '../../object-path.js';

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
