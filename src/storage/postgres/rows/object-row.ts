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
