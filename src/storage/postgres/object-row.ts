import type { ObjectKey, StoredObject } from '../object-store.js';

/** A state of an object as statements select it. */
export interface ObjectRow {
  readonly path: string;
  readonly uid: string;
  readonly revision: number;
  readonly terminating: boolean;
  readonly data: string;
}

export function objectOf(resource: string, row: ObjectRow): StoredObject {
  const { path, uid, data, terminating, revision } = row;
  return { key: keyOf(resource, path), uid, data, terminating, revision };
}

/** The inverse of objectPath: names hold no slash. */
export function keyOf(resource: string, path: string): ObjectKey {
  const slash = path.indexOf('/');
  return { resource, namespace: slash < 0 ? '' : path.slice(0, slash), name: path.slice(slash + 1) };
}
