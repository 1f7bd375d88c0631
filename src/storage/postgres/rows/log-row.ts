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
 * Converts rows of the log to events. States are shared: the state after one event is the same object as the state before the next event of
 * that key. `find` is called for every M whose previous state is neither in its own row nor before it in `rows`.
 */
export function eventsOf(rows: readonly LogRow[], find: PreviousStates): StoreEvent[] {
  const newest = new Map<string, StoredObject>();
  return rows.map((row) => {
    const name = `${row.resource} ${row.path}`;
    const before = newest.get(name);
    const event = eventOfRow(row, (wanted, revision) => (before?.revision === revision ? before : find(wanted, revision)));
    newest.set(name, event.object);
    return event;
  });
}

/** The rows whose previous state is neither in them nor before them in `rows`. */
export function withoutPrevious(rows: readonly LogRow[]): LogRow[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const name = `${row.resource} ${row.path}`;
    const first = !seen.has(name);
    seen.add(name);
    return first && row.kind === 'M' && row.previous === null;
  });
}

function eventOfRow(row: LogRow, find: PreviousStates): StoreEvent {
  const key = keyOf(row.resource, row.path);
  const { uid, data, terminating, revision } = row;
  const object = { key, uid, data, terminating, revision };
  if (row.previous_revision === null) return { type: 'ADDED', revision, object };
  if (row.kind === 'D') {
    const previous = find(row, row.previous_revision) ?? { key, uid, data, terminating, revision: row.previous_revision };
    return { type: 'DELETED', revision, object, previous };
  }
  return { type: 'MODIFIED', revision, object, previous: ownPrevious(row) ?? find(row, row.previous_revision) };
}

function ownPrevious(row: LogRow): StoredObject | undefined {
  const { previous, previous_uid: uid, previous_terminating: terminating, previous_revision: revision } = row;
  if (previous === null || uid === null || terminating === null || revision === null) return undefined;
  return { key: keyOf(row.resource, row.path), uid, data: previous, terminating, revision };
}
