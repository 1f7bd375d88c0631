import type { StoredObject, StoreEvent } from '../../object-store.js';
import { TERM_RESOURCE } from '../../term-change.js';
import { keyOf } from '../rows/object-row.js';

/** A change of a term as `lease_change_terms` returns it (migrations/functions/terms.sql). */
export interface TermEventRow {
  readonly revision: number;
  readonly kind: 'A' | 'M';
  readonly path: string;
  readonly uid: string;
  readonly data: string;
  readonly previous_revision: number | null;
  readonly previous: string | null;
}

/** The same as a change of an object. */
export function termEvent({ revision, path, uid, data, previous_revision: earlier, previous }: Omit<TermEventRow, 'kind'>): StoreEvent {
  const key = keyOf(TERM_RESOURCE, path);
  const state = (at: number, text: string): StoredObject => ({ key, uid, data: text, terminating: false, revision: at });
  const object = state(revision, data);
  if (earlier === null || previous === null) return { type: 'ADDED', revision, object };
  return { type: 'MODIFIED', revision, object, previous: state(earlier, previous) };
}
