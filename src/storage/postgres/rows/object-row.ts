import { type Expression, type RawBuilder, sql } from 'kysely';
import type { ObjectKey, StoredObject } from '../../object-store.js';

/** A state of an object as selected from the table. */
export interface ObjectRow {
  readonly path: string;
  readonly uid: string;
  readonly revision: number;
  readonly terminating: boolean;
  readonly data: string;
}

/** An ObjectRow from an outer join: all columns are null if there is no object. */
export type OptionalObjectRow = { readonly [Column in keyof ObjectRow]: ObjectRow[Column] | null };

/** The columns of ObjectRow. */
export const OBJECT_COLUMNS = ['path', 'uid', 'revision', 'terminating', 'data'] as const;

export function objectOf(resource: string, row: ObjectRow): StoredObject {
  const { path, uid, data, terminating, revision } = row;
  return { key: keyOf(resource, path), uid, data, terminating, revision };
}

/** The object of an outer join's row; undefined if there is none. */
export function optionalObjectOf(resource: string, row: OptionalObjectRow): StoredObject | undefined {
  const { path, uid, data, terminating, revision } = row;
  if (path === null || uid === null || data === null || terminating === null || revision === null) return undefined;
  return { key: keyOf(resource, path), uid, data, terminating, revision };
}

/** The inverse of objectPath: names contain no slash. */
export function keyOf(resource: string, path: string): ObjectKey {
  const slash = path.indexOf('/');
  return { resource, namespace: slash < 0 ? '' : path.slice(0, slash), name: path.slice(slash + 1) };
}

/** Page size of reads, which bounds memory and the time in the event loop. A page has at least one row. */
export interface PageLimits {
  readonly rows: number;
  /** Bytes of data, approximately. */
  readonly bytes: number;
}

/** The page size of followers and snapshots, unless a store has another. */
export const DEFAULT_PAGE: PageLimits = { rows: 1_000, bytes: 2 * 1024 * 1024 };

/** Size of a row of the log. octet_length does not read values that are stored out of line. */
export const changeSize = sql<number>`octet_length(data) + coalesce(octet_length(previous), 0)`;
export const objectSize = sql<number>`octet_length(data)`;

/** The size of all rows before this one, in the order `order`; a page ends where they reach its limit. */
export function bytesBefore(size: Expression<number>, order: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`sum(${size}) over (order by ${order}) - (${size})`;
}
