import type { StoredObject, StoreEvent } from '../../object-store.js';
import type { DatabaseTables } from '../../database/statement/database-tables.js';
import { keyOf } from './object-row.js';

/** A change as selected from the log. */
export type LogRow = Readonly<Pick<DatabaseTables['revision_log'], (typeof LOG_COLUMNS)[number]>>;

/** The columns of LogRow. */
export const LOG_COLUMNS = [
  'segment',
  'revision',
  'kind',
  'resource',
  'path',
  'uid',
  'terminating',
  'data',
  'previous_revision',
  'previous_uid',
  'previous_terminating',
  'previous',
] as const;

/** Finds the state before an M that does not contain it. `revision` is the write that created that state. */
export type PreviousStates = (row: LogRow, revision: number | null) => StoredObject | undefined;

/**
 * Converts rows of the log to events, page after page in order. Each state is in memory once: the state after one event is the same object as
 * the state before the next event of that key, and as the current state that was passed in.
 */
export class LogEvents {
  readonly #current: ReadonlyMap<number, StoredObject>;
  /** The newest state of each object among the rows so far. */
  readonly #newest = new Map<string, StoredObject>();

  /** `current`: states that the events may lead to. */
  constructor(current: readonly StoredObject[] = []) {
    this.#current = new Map(current.map((state) => [state.revision, state]));
  }

  /** The rows of the next page whose previous state is in none of the rows up to them. */
  withoutPrevious(rows: readonly LogRow[]): LogRow[] {
    const seen = new Set<string>();
    return rows.filter((row) => {
      const name = nameOf(row);
      const first = !seen.has(name);
      seen.add(name);
      return first && row.kind === 'M' && row.previous === null && !this.#before(row);
    });
  }

  /** The events of the next page. `find` is called for every row of `withoutPrevious`, and for a D whose previous state is in no row. */
  of(rows: readonly LogRow[], find: PreviousStates): StoreEvent[] {
    return rows.map((row) => {
      const found =
        row.previous_revision === null ? undefined : (this.#before(row) ?? ownPrevious(row) ?? find(row, row.previous_revision));
      const object = this.#current.get(row.revision) ?? stateOf(row, found);
      this.#newest.set(nameOf(row), object);
      return eventOfRow(row, object, found);
    });
  }

  #before(row: LogRow): StoredObject | undefined {
    const state = this.#newest.get(nameOf(row));
    return state?.revision === row.previous_revision ? state : undefined;
  }
}

function nameOf({ resource, path }: LogRow): string {
  return `${resource} ${path}`;
}

/** The state that a row led to. What has not changed is shared with the state before. */
function stateOf({ resource, path, uid, data, terminating, revision }: LogRow, before: StoredObject | undefined): StoredObject {
  if (!before) return { key: keyOf(resource, path), uid, data, terminating, revision };
  return {
    key: before.key,
    uid: before.uid === uid ? before.uid : uid,
    data: before.data === data ? before.data : data,
    terminating,
    revision,
  };
}

function eventOfRow({ kind, previous_revision }: LogRow, object: StoredObject, previous: StoredObject | undefined): StoreEvent {
  const { revision } = object;
  if (previous_revision === null) return { type: 'ADDED', revision, object };
  if (kind !== 'D') return { type: 'MODIFIED', revision, object, previous };
  return { type: 'DELETED', revision, object, previous: previous ?? { ...object, revision: previous_revision } };
}

function ownPrevious(row: LogRow): StoredObject | undefined {
  const { previous, previous_uid: uid, previous_terminating: terminating, previous_revision: revision } = row;
  if (previous === null || uid === null || terminating === null || revision === null) return undefined;
  return { key: keyOf(row.resource, row.path), uid, data: previous, terminating, revision };
}
