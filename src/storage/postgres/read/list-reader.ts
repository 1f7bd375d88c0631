import { objectPath } from '../../object-path.js';
import type { KeyRange, ListOptions, ListResult, StoredObject } from '../../object-store.js';
import { type ObjectRepository, type SqlRange, behind, sqlRange } from './object.repository.js';
import type { HistoricalStateRepository } from './historical-state.repository.js';

/** Number of objects per read when a predicate decides how many are needed. */
const CHUNK = 500;
/** More objects than a database can have; clients may ask for any number, including ones that PostgreSQL cannot represent. */
const MAX_OBJECTS = 2 ** 31;

interface Chunk {
  readonly objects: readonly StoredObject[];
  readonly revision: number;
}

/** Lists and pages, each at one revision: anything that the first statement does not return is read as of that statement's revision. */
export class ListReader {
  readonly #objects: ObjectRepository;
  readonly #historicalStates: HistoricalStateRepository;

  constructor(objects: ObjectRepository, historicalStates: HistoricalStateRepository) {
    this.#objects = objects;
    this.#historicalStates = historicalStates;
  }

  /** Reads the newest state, or that at an earlier revision. */
  async list(range: KeyRange, options: Omit<ListOptions, 'consistency'>, at?: number): Promise<ListResult> {
    const { predicate } = options;
    const limit = options.limit && Math.min(options.limit, MAX_OBJECTS);
    const bounds = sqlRange(range, options.start);
    const size = limit ? (predicate ? Math.max(limit, CHUNK) : limit) + 1 : undefined;
    const first = await this.#chunk(bounds, size, at);
    const { revision } = first;
    const objects: StoredObject[] = [];
    for (let chunk = first; ; chunk = await this.#chunk(behind(bounds, lastPath(chunk)), size, revision)) {
      for (const object of chunk.objects) {
        if (limit && objects.length === limit) return this.#page(objects, revision, bounds, predicate === undefined);
        if (!predicate || predicate(object)) objects.push(object);
      }
      if (size === undefined || chunk.objects.length < size) break;
    }
    return { objects, revision, more: false, remaining: predicate ? undefined : 0 };
  }

  /** A page that further objects follow. */
  async #page(objects: StoredObject[], revision: number, bounds: SqlRange, counted: boolean): Promise<ListResult> {
    if (!counted) return { objects, revision, more: true };
    const remaining = await this.#historicalStates.count(behind(bounds, lastPath({ objects })), revision);
    return { objects, revision, more: true, remaining };
  }

  async #chunk(bounds: SqlRange, size: number | undefined, at: number | undefined): Promise<Chunk> {
    if (at === undefined) return this.#objects.list(bounds, size);
    return { objects: await this.#historicalStates.list(bounds, at, size), revision: at };
  }
}

function lastPath({ objects }: { objects: readonly StoredObject[] }): string {
  const last = objects.at(-1);
  return last ? objectPath(last.key) : '';
}
