import type { Database } from '../../database/database.js';
import { objectPath } from '../../object-path.js';
import type { KeyRange, ListOptions, ListResult, ObjectKey, StoredObject } from '../../object-store.js';
import { StorageError } from '../../storage-errors.js';
import { isNewestFirst, TERM_RESOURCE, termHolder, tokenOf } from '../../term-change.js';
import type { LogContext } from '../log/revision-log.repository.js';
import { optionalObjectOf } from '../rows/object-row.js';
import { type SqlRange, behind, sqlRange } from '../read/sql-range.js';
import { termText } from './term-text.js';
import { type TermRow, LIST_HISTORICAL_TERMS, LIST_TERMS } from './list-terms.js';

/** The fewest and the most terms that are read at once where a predicate decides how many of them are wanted. */
const SMALLEST_CHUNK = 200;
const CHUNK = 5_000;

/** What remains to be read: terms of a range of paths and, where the newest come first, with tokens below. */
interface Rest {
  readonly bounds: SqlRange;
  readonly below: number;
  readonly isNewestFirst: boolean;
}

type Equal = NonNullable<ListOptions['equal']>;

interface Selection {
  readonly size: number;
  readonly at: number | undefined;
  readonly equal: Equal;
  readonly flushes: boolean;
}

interface Chunk {
  readonly objects: readonly StoredObject[];
  readonly revision: number;
}

/** Terms as objects. Methods reject with StorageError TooBroad, Compacted, TooLargeRevision, TooManyReads or Unavailable. */
export class TermReader {
  readonly #database: Database;
  readonly #context: LogContext;
  readonly #maxExamined: number;

  /** `maxExamined`: the most terms that one list, or one page, looks at, since history may have more than fit into memory. */
  constructor(database: Database, context: LogContext, maxExamined: number) {
    this.#database = database;
    this.#context = context;
    this.#maxExamined = maxExamined;
  }

  /** At a revision, or the newest one. */
  async get(key: ObjectKey, at?: number): Promise<{ object?: StoredObject; revision: number }> {
    const { objects, revision } = await this.#chunk(wanted(key, {}), 1, at, {});
    return { object: objects[0], revision };
  }

  /** As ListReader, but without the number of remaining objects; and a page may end early. */
  async list(range: KeyRange, options: Omit<ListOptions, 'consistency'>, at?: number): Promise<ListResult> {
    const { predicate, equal = {} } = options;
    const limit = options.limit || Infinity;
    let rest = wanted(range, options);
    let size = Math.min(predicate ? Math.max(2 * limit, SMALLEST_CHUNK) : limit, CHUNK) + 1;
    const objects: StoredObject[] = [];
    let examined = 0;
    let last: ObjectKey | undefined;
    let chunk = await this.#chunk(rest, size, at, equal);
    for (const { revision } = chunk; ; chunk = await this.#chunk(rest, size, revision, equal)) {
      const isLast = chunk.objects.length < size;
      for (const object of chunk.objects) {
        if (objects.length === limit) return { objects, revision, more: true };
        if (examined === this.#maxExamined && limit === Infinity) throw tooBroad(this.#maxExamined);
        if (examined === this.#maxExamined) return { objects, revision, more: true, last };
        if (!predicate || predicate(object)) objects.push(object);
        examined += 1;
        last = object.key;
      }
      if (isLast || !last) return { objects, revision, more: false };
      rest = restAfter(rest, last);
      size = Math.min(2 * size, CHUNK + 1);
    }
  }

  async #chunk(rest: Rest, size: number, at: number | undefined, equal: Equal): Promise<Chunk> {
    const rows = await this.#context.lineage.settledAt(at, (flushes) => this.#query(rest, { size, at, equal, flushes }));
    const objects = rows.flatMap((row) => optionalObjectOf(TERM_RESOURCE, withText(row)) ?? []);
    return { objects, revision: at ?? rows[0]?.newest ?? 0 };
  }

  #query({ bounds: { from, to }, below, isNewestFirst }: Rest, { size, at, equal, flushes }: Selection): Promise<TermRow[]> {
    const { by, value } = lookup(equal);
    const list = isNewestFirst ? 'newest' : by;
    const selected = [from, to, size, value, below] as const;
    if (at === undefined) {
      const isOpen = by === 'all' && equal['status.phase'] === 'Held';
      return this.#database.query(LIST_TERMS[isOpen ? 'open' : list], selected, { purpose: 'history', flushes });
    }
    const values = [...selected, at, this.#context.segments.segmentOf(at)] as const;
    return this.#database.query(LIST_HISTORICAL_TERMS[list], values, { purpose: 'history', flushes });
  }
}

function wanted(range: KeyRange, options: Omit<ListOptions, 'consistency'>): Rest {
  const { start } = options;
  if (!isNewestFirst(options)) return { bounds: sqlRange(range, start), below: tokenOf(), isNewestFirst: false };
  return { bounds: sqlRange(range), below: tokenOf(start), isNewestFirst: true };
}

function restAfter(rest: Rest, last: ObjectKey): Rest {
  return rest.isNewestFirst ? { ...rest, below: tokenOf(last.name) } : { ...rest, bounds: behind(rest.bounds, objectPath(last)) };
}

function lookup({ 'spec.leaseName': lease, 'spec.holder': holder }: Equal) {
  if (lease !== undefined) return { by: 'lease', value: lease.replaceAll('\0', '\ufffd') } as const;
  return holder === undefined ? ({ by: 'all', value: '' } as const) : ({ by: 'holder', value: termHolder(holder) } as const);
}

function withText(row: TermRow): TermRow {
  return row.data !== null || row.uid === null ? row : { ...row, data: termText(row.uid, row) };
}

function tooBroad(most: number): StorageError {
  return new StorageError('TooBroad', `a list looks at ${most} terms at most: ask for pages, or for one lease, holder or namespace`);
}
